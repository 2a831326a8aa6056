"""Ids of calls and messages: there, and each given to one alone, whatever a provider sends."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from tests.application.scenario import (
    APPROVE,
    REJECT,
    asks_for,
    assert_well_formed,
    email_to,
    results_of,
    weather_in,
)
from tests.replies.conftest import MakeService, with_reviews

each_bad_id = pytest.mark.parametrize("bad", [None, "", "same", "a b", "\x00", "x" * 500])


@each_bad_id
@with_reviews
def test_b58_each_of_two_calls_is_decided_by_itself(
    serve: MakeService, path: str, bad: Any
) -> None:
    calls = asks_for(email_to("alice", bad), email_to("budi", bad))
    service = serve(path, calls, "Selesai.", "Halo.")

    assert len(service.say("Kirim").json()["pending_review"]["action_requests"]) == 2
    assert service.decide(REJECT, APPROVE).json()["answer"] == "Selesai."
    assert service.office.sent == ["budi"]
    first, second = results_of(service.last_input)
    assert [first.status, second.status] == ["error", "success"]
    assert first.tool_call_id != second.tool_call_id
    assert service.answer("Hai") == "Halo."


@each_bad_id
def test_b58_each_of_two_free_calls_runs_once(serve: MakeService, path: str, bad: Any) -> None:
    calls = asks_for(weather_in("Paris", bad), weather_in("Roma", bad))
    service = serve(path, calls, "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."
    assert sorted(service.office.looked_up) == ["Paris", "Roma"]
    assert [r.text for r in results_of(service.last_input)] == ["Sunny in Paris", "Sunny in Roma"]


def test_b58_only_the_first_of_three_calls_has_an_id(serve: MakeService, path: str) -> None:
    ids: list[Any] = ["w1", None, None]
    calls = asks_for(*[weather_in(f"K{n}", call_id) for n, call_id in enumerate(ids)])
    service = serve(path, calls, "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."
    results = results_of(service.last_input)
    assert results[0].tool_call_id == "w1"
    assert len({r.tool_call_id for r in results}) == 3


@with_reviews
def test_an_id_that_comes_again_in_a_later_turn_is_another_call(
    serve: MakeService, path: str
) -> None:
    again = asks_for(email_to("alice", "call_1"))
    service = serve(path, again, "Terkirim.", again, "Terkirim lagi.")

    for answer in ("Terkirim.", "Terkirim lagi."):
        assert service.say("Kirim").json()["pending_review"] is not None
        assert service.decide(APPROVE).json()["answer"] == answer
    assert service.office.sent == ["alice", "alice"]


def test_an_id_that_comes_again_in_the_same_turn_is_another_call(serve: MakeService) -> None:
    again = [asks_for(weather_in("Paris", "0"))] * 3
    service = serve("/chat", *again, "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."
    assert service.office.looked_up == ["Paris"] * 3
    assert_well_formed(service.messages)


def test_a_message_id_that_comes_again_does_not_replace_the_earlier_message(
    serve: MakeService, path: str
) -> None:
    service = serve(path, *[AIMessage(text, id="chatcmpl-0") for text in ("Satu.", "Dua.")])

    assert service.answer("1") == "Satu."
    assert service.answer("2") == "Dua."
    if not path.startswith("/subagents"):
        assert [m.text for m in service.messages] == ["1", "Satu.", "2", "Dua."]


@with_reviews
def test_two_approved_actions_with_the_same_ids_and_arguments_are_two_actions(
    serve: MakeService, path: str
) -> None:
    same = AIMessage("", id="chatcmpl-0", tool_calls=[email_to("alice", "call_0")])
    service = serve(path, same, "Satu.", same, "Dua.")

    for answer in ("Satu.", "Dua."):
        service.say("Kirim")
        assert service.decide(APPROVE).json()["answer"] == answer
    assert service.office.sent == ["alice", "alice"]


COPIES: dict[str, dict[str, Any]] = {
    "id": {"type": "tool_use", "id": "?", "name": "send_email", "input": {"to": "alice"}},
    "call_id": {"type": "function_call", "id": "fc_1", "call_id": "?", "name": "send_email"},
}


@pytest.mark.parametrize("key", COPIES)
@pytest.mark.parametrize("bad", [None, "", "taken"])
def test_a_new_id_is_written_into_every_copy_of_the_call(
    serve: MakeService, bad: Any, key: str
) -> None:
    raw = {"id": bad, "type": "function", "function": {"name": "send_email", "arguments": "{}"}}
    kwargs = {"tool_calls": [raw], "signatures": {str(bad): "c2ln"}}
    copy = COPIES[key] | {key: bad}
    second = AIMessage([copy], tool_calls=[email_to("alice", bad)], additional_kwargs=kwargs)
    service = serve("/hitl/chat", asks_for(weather_in("Paris", "taken")), second)
    service.say("Kirim")

    stored = service.messages[-1]

    assert isinstance(stored, AIMessage)
    new = stored.tool_calls[0]["id"]
    assert new not in {None, "", "taken"}
    assert stored.content == [copy | {key: new}]
    assert stored.additional_kwargs["tool_calls"] == [raw | {"id": new}]
    if bad == "taken":
        assert stored.additional_kwargs["signatures"] == {new: "c2ln"}


def test_a_copy_of_a_call_that_langchain_did_not_read_is_answered_like_a_broken_one(
    serve: MakeService, path: str
) -> None:
    stray = AIMessage("", additional_kwargs={"tool_calls": [{"id": "c1", "function": {}}]})
    service = serve(path, stray, "Maaf.")

    assert service.answer("Kirim") == "Maaf."
    result = results_of(service.last_input)[-1]
    assert (result.tool_call_id, result.status) == ("c1", "error")
