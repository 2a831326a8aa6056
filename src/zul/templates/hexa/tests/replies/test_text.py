"""What people are shown, and characters that not every store holds."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.tools import tool

from src.application.AI.agents.storable import REPLACEMENT
from src.application.turns import Turns
from src.infrastructure.database.stores import get_stores
from tests.application.scenario import (
    APPROVE,
    REJECT,
    asks_for,
    call,
    edit_to,
    email_to,
    results_of,
    texts_of_user,
)
from tests.replies.conftest import MakeService, with_reviews
from tests.replies.service import Service

THINKING = {"type": "thinking", "thinking": "secret", "signature": "c2ln"}
SUNNY_TODAY = [{"type": "text", "text": "Sunny"}, THINKING, {"type": "text", "text": " today"}]

ODD_BLOCK: dict[str, Any] = {"type": [[]]}

CONTENTS: dict[str, Any] = {
    "blocks": SUNNY_TODAY,
    "plain strings": ["Sunny", " today"],
    "mixed": ["Sunny", THINKING, {"type": "text", "text": " today"}],
    "reasoning": [{"type": "reasoning", "summary": [{"text": "secret"}]}, "Sunny today"],
    "with a block that is none": [ODD_BLOCK, *SUNNY_TODAY],
    "with an empty block": [{"type": "text", "text": ""}, *SUNNY_TODAY],
}
each_content = pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())


@each_content
def test_b73_the_answer_is_the_text_of_the_blocks(
    serve: MakeService, path: str, content: Any
) -> None:
    service = serve(path, AIMessage(content), "Halo.")

    assert service.answer("Cuaca?") == "Sunny today"
    assert service.answer("Hai") == "Halo."


@each_content
@with_reviews
def test_b73_after_a_review_too(serve: MakeService, path: str, content: Any) -> None:
    service = serve(path, asks_for(email_to("alice")), AIMessage(content))
    service.say("Kirim")

    assert service.decide(APPROVE).json()["answer"] == "Sunny today"


def test_b73_thinking_is_not_shown_when_looking_back(serve: MakeService) -> None:
    service = serve("/chat", AIMessage(list(SUNNY_TODAY)))
    service.answer("Cuaca?")

    assert service.messages[-1].content == SUNNY_TODAY
    assert service.messages[-1].text == "Sunny today"


def test_b74_one_system_message_at_the_front_of_every_input_and_none_stored(
    serve: MakeService, path: str
) -> None:
    service = serve(path, asks_for(call("get_weather", "w1", location="Roma")), *["Ya."] * 3)

    for message in ("1", "2", "3"):
        service.answer(message)

    for sent in [*service.model.inputs, *service.supervisor.inputs]:
        kinds = [isinstance(message, SystemMessage) for message in sent]
        assert kinds == [True] + [False] * (len(sent) - 1)
    assert not any(isinstance(message, SystemMessage) for message in service.messages)


def test_b74_b77_a_reject_adds_no_system_or_user_message(serve: MakeService) -> None:
    calls = asks_for(email_to("a", "c1"), call("get_weather", "c2", location="x"), email_to("b"))
    service = serve("/hitl/chat", calls, "Selesai.")
    service.say("Kirim")

    service.decide({"type": "reject", "message": "jangan"}, APPROVE)

    assert [message.type for message in service.last_input] == [
        "system",
        "human",
        "ai",
        "tool",
        "tool",
        "tool",
    ]
    assert "jangan" in service.last_input[3].text


DIRTY = "a\x00b\ud83dc"
CLEAN = f"a{REPLACEMENT}b{REPLACEMENT}c"


@tool
def dirty() -> str:
    """Return what not every store holds."""
    return DIRTY


@pytest.mark.usefixtures("each_store")
def test_b66_nul_and_half_an_emoji_in_a_reply_are_replaced(serve: MakeService, path: str) -> None:
    service = serve(path, AIMessage(DIRTY), AIMessage([{"type": "text", "text": DIRTY}]), "Halo.")

    assert service.answer("1") == CLEAN
    assert service.answer("2") == CLEAN
    assert service.answer("3") == "Halo."


@pytest.mark.usefixtures("each_store")
def test_b66_nul_and_half_an_emoji_in_a_tool_result_are_replaced(
    serve: MakeService, path: str
) -> None:
    service = serve(path, asks_for(call("dirty", "d1")), "Halo.", tools=[dirty], gated=[])

    assert service.answer("1") == "Halo."
    assert results_of(service.last_input)[-1].text == CLEAN


@pytest.mark.usefixtures("each_store")
def test_b66_metadata_that_no_store_holds_does_not_spoil_the_conversation(
    serve: MakeService, path: str
) -> None:
    odd = AIMessage(
        "Halo.",
        additional_kwargs={"big": 2**70, "text": DIRTY, "what": object()},
        response_metadata={"logprobs": [-float("inf")], "set": {1}, "bytes": b"\x00"},
    )
    service = serve(path, odd, "Hai.")

    assert service.answer("1") == "Halo."
    assert service.answer("2") == "Hai."


def test_two_halves_of_an_emoji_that_meet_are_joined(serve: MakeService) -> None:
    service = serve("/chat", AIMessage("\ud83d\ude00"))

    assert service.answer("1") == "😀"


@pytest.mark.parametrize("text", ["a\x00b", "\ud83d"])
@pytest.mark.usefixtures("each_store")
def test_b66_a_message_with_such_a_character_is_refused_alike_on_every_store(
    serve: MakeService, path: str, text: str
) -> None:
    service = serve(path, "Halo.")

    assert service.post(path, {"message": text}).status_code == 422
    body = {"message": "x", "thread_id": f"t{text}"}
    assert service.post(path, body).status_code == 422
    assert service.answer("Hai") == "Halo."


@pytest.mark.parametrize("text", ["a\x00b", "\ud83d"])
@with_reviews
@pytest.mark.usefixtures("each_store")
def test_b66_a_decision_with_such_a_character_is_refused_and_still_waits(
    serve: MakeService, path: str, text: str
) -> None:
    service = serve(path, asks_for(email_to("alice")), "Selesai.")
    service.say("Kirim")

    for decision in (
        {"type": "reject", "message": text},
        edit_to("send_email", to=text),
        edit_to("send_email", **{text: "alice"}),
        edit_to(text, to="alice"),
    ):
        assert service.decide(decision).status_code == 422
    assert service.office.sent == []
    assert service.decide(REJECT).json()["answer"] == "Selesai."


@pytest.mark.usefixtures("each_store")
def test_b66_such_a_character_that_comes_past_http_is_replaced() -> None:
    service = Service("/hitl/chat", asks_for(email_to("alice")), "Selesai.", "Halo.")
    stores = get_stores("hitl")
    turns = Turns(service.agent, lock=stores.lock, reviews=stores.reviews)

    turns.send(DIRTY, "t")
    decided = turns.review([{"type": "reject", "message": DIRTY}], "t")

    assert decided.answer == "Selesai."
    assert texts_of_user(service.messages) == [CLEAN]
    assert CLEAN in results_of(service.messages)[-1].text
    assert turns.send(DIRTY, "t").answer == "Halo."
