"""Calls that cannot be read or kept: the model is told, and nothing runs with guessed values."""

import math
from typing import Any

import pytest
from langchain_core.messages import AIMessage, InvalidToolCall
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.tools import BaseTool, tool

from src.application.AI.agents.replies import MALFORMED_REPLY_MESSAGE
from tests.application.scenario import (
    APPROVE,
    Office,
    asks_for,
    assert_well_formed,
    call,
    edit_to,
    email_to,
    results_of,
    weather_in,
)
from tests.replies.conftest import MakeService, with_reviews


def broken(args: str | None, call_id: str = "b1", name: str = "get_weather") -> InvalidToolCall:
    return invalid_tool_call(name=name, args=args, id=call_id)


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


UNREADABLE = {
    "truncated": '{"location": "Par',
    "no JSON": "location=Paris",
    "a list": "[1]",
    "a number": "3",
    "null": "null",
    "JSON in JSON": '"{\\"location\\": \\"Rome\\"}"',
}
each_unreadable = pytest.mark.parametrize("args", UNREADABLE.values(), ids=UNREADABLE.keys())


@each_unreadable
def test_b52_b56_the_model_is_told_of_unreadable_arguments_and_tries_again(
    serve: MakeService, path: str, args: str
) -> None:
    bad = AIMessage("", invalid_tool_calls=[broken(args)])
    service = serve(path, bad, asks_for(weather_in("Paris")), "Cerah di Paris.", "Sama-sama.")

    assert service.answer("Cuaca?") == "Cerah di Paris."
    told = results_of(service.model.inputs[1])[-1]
    assert told.status == "error"
    assert told.tool_call_id == "b1"
    assert "not one complete JSON object" in told.text
    assert service.office.looked_up == ["Paris"]
    assert service.answer("Terima kasih") == "Sama-sama."
    for sent in service.model.inputs:
        assert_well_formed([*sent[1:], AIMessage("x")])
    assert_well_formed(service.messages)


@each_unreadable
@with_reviews
def test_b52_b56_an_unreadable_call_of_a_guarded_tool_is_not_even_shown(
    serve: MakeService, path: str, args: str
) -> None:
    bad = AIMessage("", invalid_tool_calls=[broken(args, name="send_email")])
    service = serve(path, bad, asks_for(email_to("alice")), "Terkirim.")

    pending = service.say("Kirim").json()["pending_review"]

    assert [action["args"] for action in pending["action_requests"]] == [{"to": "alice"}]
    assert service.decide(APPROVE).json()["answer"] == "Terkirim."
    assert service.office.sent == ["alice"]


def test_b52_after_three_malformed_replies_a_sentence_names_the_cause(
    serve: MakeService, path: str
) -> None:
    bad = [AIMessage("", invalid_tool_calls=[broken("{", f"b{n}")]) for n in range(3)]
    service = serve(path, *bad, "Halo.")

    assert service.answer("Cuaca?") == MALFORMED_REPLY_MESSAGE
    assert len(service.model.inputs) == 3
    assert service.answer("Hai") == "Halo."
    assert_well_formed(service.messages)


def test_b52_a_good_reply_in_between_starts_the_count_anew(serve: MakeService) -> None:
    bad = [AIMessage("", invalid_tool_calls=[broken("{", f"b{n}")]) for n in range(4)]
    good = asks_for(weather_in("Paris"))
    service = serve("/chat", *bad[:2], good, *bad[2:], "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."


def test_b52_a_broken_call_leaves_its_good_neighbours_alone(serve: MakeService, path: str) -> None:
    mixed = AIMessage(
        "", tool_calls=[weather_in("Paris", "w1")], invalid_tool_calls=[broken("{", "b1")]
    )
    service = serve(path, mixed, "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."
    assert service.office.looked_up == ["Paris"]
    results = results_of(service.last_input)
    assert [(r.tool_call_id, r.status) for r in results] == [("w1", "success"), ("b1", "error")]


@with_reviews
def test_b52_only_the_good_calls_of_a_mixed_reply_are_reviewed(
    serve: MakeService, path: str
) -> None:
    mixed = AIMessage(
        "",
        tool_calls=[email_to("alice", "c1"), email_to("budi", "c2")],
        invalid_tool_calls=[broken('{"to": "ci', "b1", "send_email")],
    )
    service = serve(path, mixed, "Selesai.")

    pending = service.say("Kirim").json()["pending_review"]
    assert [action["args"]["to"] for action in pending["action_requests"]] == ["alice", "budi"]
    answer = service.decide(APPROVE, {"type": "reject", "message": "jangan"}).json()["answer"]

    assert answer == "Selesai."
    assert service.office.sent == ["alice"]
    statuses = [(r.tool_call_id, r.status) for r in results_of(service.last_input)]
    assert statuses == [("c1", "success"), ("c2", "error"), ("b1", "error")]


def test_b54_missing_arguments_are_refused_by_the_schema(serve: MakeService, path: str) -> None:
    service = serve(path, asks_for(call("get_weather", "w1")), "Kota mana?")

    assert service.answer("Cuaca?") == "Kota mana?"
    result = results_of(service.last_input)[-1]
    assert result.status == "error"
    assert "location" in result.text
    assert service.office.looked_up == []


@with_reviews
def test_b54_empty_arguments_of_a_guarded_tool_are_shown_as_they_are(
    serve: MakeService, path: str
) -> None:
    service = serve(path, asks_for(call("send_email", "c1")), "Ke siapa?")

    pending = service.say("Kirim").json()["pending_review"]

    assert pending["action_requests"][0]["args"] == {}
    assert service.decide(APPROVE).json()["answer"] == "Ke siapa?"
    assert service.office.sent == []
    assert results_of(service.last_input)[-1].status == "error"


def test_b60_an_unknown_tool_is_named_with_the_tools_there_are(
    serve: MakeService, path: str
) -> None:
    service = serve(path, asks_for(call("send_emial", "c1", to="x"), weather_in("Paris")), "Oh.")

    assert service.answer("Kirim") == "Oh."
    unknown, known = results_of(service.last_input)
    assert unknown.status == "error"
    assert "get_weather" in unknown.text
    assert "send_email" in unknown.text
    assert known.status == "success"


@with_reviews
def test_b60_an_unknown_tool_is_not_offered_for_approval(serve: MakeService, path: str) -> None:
    calls = asks_for(call("send_emial", "c1", to="x"), email_to("alice", "c2"))
    service = serve(path, calls, "Selesai.")

    pending = service.say("Kirim").json()["pending_review"]

    assert [action["name"] for action in pending["action_requests"]] == ["send_email"]
    assert service.decide(APPROVE).json()["answer"] == "Selesai."
    assert service.office.sent == ["alice"]


@pytest.mark.parametrize("name", ["", " ", "send email", "send_email\n", "kirim/é", "x" * 200])
def test_a_name_that_no_provider_takes_back_never_reaches_the_history(
    serve: MakeService, path: str, name: str
) -> None:
    service = serve(path, asks_for(call(name, "c1", to="alice")), "Maaf.")

    assert service.answer("Kirim") == "Maaf."
    assert service.office.sent == []
    asked = service.last_input[-2]
    assert isinstance(asked, AIMessage)
    assert asked.tool_calls[0]["name"].isascii()
    assert 0 < len(asked.tool_calls[0]["name"]) <= 64
    assert "not a valid tool, try one of [get_weather, send_email]" in service.last_input[-1].text


@pytest.mark.parametrize("args", [{"to": {"a": 1}}, {"to": ["alice"]}, {"to": 5}])
@with_reviews
def test_b62_arguments_of_the_wrong_type_are_shown_as_sent_and_refused_after_approval(
    serve: MakeService, path: str, args: dict[str, Any]
) -> None:
    service = serve(path, asks_for(call("send_email", "c1", **args)), "Salah.")

    assert service.say("Kirim").json()["pending_review"]["action_requests"][0]["args"] == args
    assert service.decide(APPROVE).json()["answer"] == "Salah."
    assert service.office.sent == []
    assert results_of(service.last_input)[-1].status == "error"


@pytest.mark.parametrize("args", [{"to": [1]}, {"unknown": 1}, {"to": None}])
@with_reviews
def test_b62_an_edit_to_wrong_arguments_runs_nothing(
    serve: MakeService, path: str, args: dict[str, Any]
) -> None:
    service = serve(path, asks_for(email_to("alice")), "Salah.")
    service.say("Kirim")

    assert service.decide(edit_to("send_email", **args)).json()["answer"] == "Salah."
    assert service.office.sent == []


@with_reviews
def test_b60_b62_an_edit_that_names_no_tool_there_is_runs_nothing(
    serve: MakeService, path: str
) -> None:
    service = serve(path, asks_for(email_to("alice")), "Salah.")
    service.say("Kirim")

    assert service.decide(edit_to("send_emial", to="budi")).json()["answer"] == "Salah."
    assert service.office.sent == []
    assert "try one of [get_weather, send_email]" in results_of(service.last_input)[-1].text


@with_reviews
def test_an_edit_that_names_another_tool_runs_that_one(serve: MakeService, path: str) -> None:
    service = serve(path, asks_for(email_to("alice")), "Cerah.")
    service.say("Kirim")

    assert service.decide(edit_to("get_weather", location="Roma")).json()["answer"] == "Cerah."
    assert (service.office.sent, service.office.looked_up) == ([], ["Roma"])


UNSTORABLE: dict[str, Any] = {
    "70 bits": 2**70,
    "NaN": math.nan,
    "infinity": -math.inf,
    "NUL": "a\x00b",
    "half an emoji": "\ud83d",
    "600 levels": nested(600),
    "33 levels": nested(33),
    "5 MB": "x" * 5_000_000,
}
VERY_MANY_DIGITS = 10**5000  # which no JSON library writes, so it comes in no stream
each_unstorable = pytest.mark.parametrize("value", UNSTORABLE.values(), ids=UNSTORABLE.keys())


def test_b64_a_number_of_very_many_digits_comes_back_to_the_model(
    serve: MakeService, endpoint: str
) -> None:
    calls = asks_for(call("get_weather", "w1", location="Rome", n=VERY_MANY_DIGITS))
    service = serve(endpoint, calls, "Maaf.")

    assert service.answer("Cuaca?") == "Maaf."
    assert "Argument 'n'" in results_of(service.last_input)[-1].text
    assert service.office.looked_up == []


@each_unstorable
def test_b64_b66_b67_arguments_that_no_store_holds_come_back_to_the_model(
    serve: MakeService, path: str, value: Any
) -> None:
    replies = asks_for(call("get_weather", "w1", location="Rome", n=value)), "Maaf.", "Halo."
    service = serve(path, *replies)

    assert service.answer("Cuaca?") == "Maaf."
    result = results_of(service.last_input)[-1]
    assert result.status == "error"
    assert "Argument 'n'" in result.text
    assert "AIMessage" not in result.text
    assert service.office.looked_up == []
    assert service.answer("Hai") == "Halo."


@each_unstorable
@pytest.mark.usefixtures("each_store")
def test_b64_b66_b67_a_guarded_call_that_no_store_holds_is_not_shown(
    serve: MakeService, value: Any
) -> None:
    service = serve("/hitl/chat", asks_for(call("send_email", "c1", to=value)), "Maaf.", "Halo.")

    assert service.answer("Kirim") == "Maaf."
    assert service.office.sent == []
    assert service.answer("Hai") == "Halo."


@pytest.mark.usefixtures("each_store")
def test_b64_arguments_up_to_the_limits_are_kept(serve: MakeService) -> None:
    args = {"to": "alice", "deep": nested(32), "n": 2**64 - 1, "m": -(2**63), "é": "🙂"}
    service = serve("/hitl/chat", asks_for(call("send_email", "c1", **args)), "Terkirim.")

    assert service.say("Kirim").json()["pending_review"]["action_requests"][0]["args"] == args
    assert service.decide(APPROVE).json()["answer"] == "Terkirim."


@pytest.mark.parametrize("args", ["", "  ", None])
def test_b75_no_arguments_at_all_mean_an_empty_object(
    serve: MakeService, endpoint: str, args: str | None
) -> None:
    raw = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": args}}
    nothing = AIMessage(
        "",
        invalid_tool_calls=[broken(args, "c1", "now")],
        additional_kwargs={"tool_calls": [raw]},
    )
    ran: list[str] = []
    service = serve(endpoint, nothing, "Jam satu.", tools=[clock(ran), Office().send_email])

    assert service.answer("Jam?") == "Jam satu."
    assert ran == ["now"]
    asked = service.last_input[-2]
    assert isinstance(asked, AIMessage)
    assert asked.tool_calls == [call("now", "c1")]
    assert asked.additional_kwargs["tool_calls"][0]["function"]["arguments"] in ("{}", {})


@pytest.mark.parametrize("args", ["", None])
def test_b75_no_arguments_in_a_stream_mean_an_empty_object(
    serve: MakeService, path: str, args: str | None
) -> None:
    nothing = AIMessage("", invalid_tool_calls=[broken(args, "c1", "now")])
    ran: list[str] = []
    service = serve(path, nothing, "Jam satu.", tools=[clock(ran), Office().send_email])

    assert service.answer("Jam?") == "Jam satu."
    assert ran == ["now"]


def clock(ran: list[str]) -> BaseTool:
    @tool
    def now() -> str:
        """Tell the time."""
        ran.append("now")
        return "13:00"

    return now
