"""Recorded replies of the providers, through every way that a reply can take."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from tests.application.scenario import APPROVE, REJECT, edit_to, email_to, results_of, weather_in
from tests.replies.conftest import MakeService
from tests.replies.service import Service
from tests.replies.shapes import SHAPES, Shape

each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())

ALICE, BUDI = email_to("alice", "c1"), email_to("budi", "c2")


def caller_in(messages: list[BaseMessage]) -> AIMessage:
    return next(m for m in reversed(messages) if isinstance(m, AIMessage) and m.tool_calls)


def assert_kept(shape: Shape, before: AIMessage, after: AIMessage) -> None:
    """What the provider needs back is byte for byte what it gave."""
    assert json.dumps(shape.own(after)) == json.dumps(shape.own(before))
    assert after.response_metadata == before.response_metadata
    if isinstance(before.content, list) and before.content:
        assert after.content[0] == before.content[0]


def run(service: Service, *decisions: Any) -> AIMessage:
    service.say("Kirim")
    assert service.decide(*decisions).json()["answer"] == "Selesai."
    return caller_in(service.last_input)


@each_shape
@pytest.mark.usefixtures("each_store")
def test_b71_a_plain_tool_call_goes_back_as_it_came(serve: MakeService, shape: Shape) -> None:
    reply = shape.build([weather_in("Paris", "w1")])
    service = serve("/chat", reply, "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."
    sent = caller_in(service.last_input)
    assert_kept(shape, reply, sent)
    assert sent.content == reply.content
    assert sent.additional_kwargs == reply.additional_kwargs
    assert sent.tool_calls == reply.tool_calls


@each_shape
@pytest.mark.usefixtures("each_store")
def test_b71_an_approved_call_goes_back_as_it_came(serve: MakeService, shape: Shape) -> None:
    reply = shape.build([ALICE, BUDI])
    service = serve("/hitl/chat", reply, "Selesai.")

    sent = run(service, APPROVE, REJECT)

    assert_kept(shape, reply, sent)
    assert sent.content == reply.content
    assert sent.additional_kwargs == reply.additional_kwargs
    assert [r.status for r in results_of(service.last_input)] == ["success", "error"]
    assert service.office.sent == ["alice"]


@each_shape
@pytest.mark.parametrize("edited", [0, 1])
def test_b71_b09_an_edit_leaves_no_old_arguments_and_no_changed_thinking(
    serve: MakeService, shape: Shape, edited: int
) -> None:
    reply = shape.build([ALICE, BUDI])
    service = serve("/hitl/chat", reply, "Selesai.")
    decisions: list[Any] = [APPROVE, APPROVE]
    decisions[edited] = edit_to("send_email", to="citra")

    sent = run(service, *decisions)

    assert_kept(shape, reply, sent)
    old = ["alice", "budi"][edited]
    expected = ["alice", "budi"]
    expected[edited] = "citra"
    assert old not in json.dumps(sent.model_dump())
    assert [call["args"]["to"] for call in sent.tool_calls] == expected
    assert sorted(service.office.sent) == sorted(expected)
    untouched = expected[1 - edited]
    assert json.dumps(sent.model_dump()).count(untouched) == (
        json.dumps(reply.model_dump()).count(untouched)
    )


@each_shape
def test_b71_inside_a_subagent_an_edit_does_the_same(serve: MakeService, shape: Shape) -> None:
    reply = shape.build([ALICE])
    service = serve("/subagents/chat", reply, "Selesai.")

    sent = run(service, edit_to("send_email", to="citra"))

    assert_kept(shape, reply, sent)
    assert "alice" not in json.dumps(sent.model_dump())


@each_shape
def test_b58_a_repaired_id_is_the_same_in_every_corner(serve: MakeService, shape: Shape) -> None:
    first, again = shape.build([weather_in("Roma", "dup")]), shape.build([email_to("alice", "dup")])
    again.id = None
    service = serve("/hitl/chat", first, again, "Selesai.")

    sent = run(service, APPROVE)

    new = sent.tool_calls[0]["id"]
    assert new != "dup"
    assert service.office.looked_up == ["Roma"]
    assert service.office.sent == ["alice"]
    own = again.model_copy(update={"id": sent.id})
    assert_kept(shape, own, sent)
    assert "dup" not in json.dumps(sent.model_dump())
    if shape.keyed:
        assert list(sent.additional_kwargs[shape.keyed]) == [new]


@each_shape
def test_a_broken_call_leaves_no_arguments_and_no_changed_thinking(
    serve: MakeService, shape: Shape
) -> None:
    reply = shape.build([email_to("alice", "c1", cc="\x00")])
    service = serve("/hitl/chat", reply, "Maaf.")

    assert service.answer("Kirim") == "Maaf."
    sent = caller_in(service.last_input)
    assert_kept(shape, reply, sent)
    assert sent.tool_calls[0]["args"] == {}
    assert "alice" not in json.dumps(sent.model_dump())
