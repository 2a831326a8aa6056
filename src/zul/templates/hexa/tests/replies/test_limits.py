"""Sizes and depths: refused or cut with a clear word, and the conversation goes on."""

import math
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from src.application.AI.agents.limits import MAX_MESSAGE_CHARS, MAX_RESULT_CHARS, Limits
from src.application.AI.agents.storable import REPLACEMENT
from src.application.AI.agents.tool_results import EMPTY_RESULT_MESSAGE
from src.infrastructure.settings import Settings
from tests.application.scenario import (
    APPROVE,
    asks_for,
    call,
    edit_to,
    email_to,
    results_of,
    weather_in,
)
from tests.replies.conftest import MakeService, with_reviews
from tests.replies.test_broken_calls import each_unstorable


def returning(value: Any) -> BaseTool:
    """A tool that takes nothing and returns ``value``."""

    def give() -> Any:
        return value

    return StructuredTool.from_function(give, name="give", description="Gives.")


@pytest.mark.usefixtures("each_store")
def test_b67_a_message_that_is_too_long_is_refused(serve: MakeService, path: str) -> None:
    service = serve(path, "Halo.")

    response = service.say("x" * 5_000_000)

    assert response.status_code == 422
    assert str(MAX_MESSAGE_CHARS) in response.json()["detail"][0]["msg"]
    assert len(response.text) < 1_000
    assert service.answer("x" * MAX_MESSAGE_CHARS) == "Halo."


@each_unstorable
@with_reviews
def test_b67_an_edit_that_is_too_big_or_cannot_be_stored_is_refused_and_still_waits(
    serve: MakeService, path: str, value: Any
) -> None:
    service = serve(path, asks_for(email_to("alice")), "Terkirim.")
    service.say("Kirim")

    refused = service.decide(edit_to("send_email", to=value))

    assert refused.status_code in {400, 422}
    assert service.office.sent == []
    assert service.decide(edit_to("send_email", to="budi")).json()["answer"] == "Terkirim."
    assert service.office.sent == ["budi"]


def test_b67_a_remark_that_is_too_long_is_refused(serve: MakeService) -> None:
    service = serve("/hitl/chat", asks_for(email_to("alice")), "Baik.")
    service.say("Kirim")

    assert service.decide({"type": "reject", "message": "x" * 5_000_000}).status_code == 422
    assert service.decide({"type": "reject", "message": "jangan"}).json()["answer"] == "Baik."


@pytest.mark.usefixtures("each_store")
def test_b67_a_huge_result_is_cut_with_a_note(serve: MakeService, path: str) -> None:
    huge = "x" * 3_000_000
    service = serve(
        path, asks_for(call("give", "g1")), "Oh.", "Halo.", tools=[returning(huge)], gated=[]
    )

    assert service.answer("Berapa?") == "Oh."
    result = results_of(service.last_input)[-1].text
    assert len(result) < MAX_RESULT_CHARS + 200
    assert f"{3_000_000 - MAX_RESULT_CHARS} of 3000000 characters were cut off" in result
    assert service.answer("Hai") == "Halo."


def test_b67_a_huge_result_in_blocks_is_cut_with_a_note(serve: MakeService) -> None:
    blocks = [
        {"type": "text", "text": "x" * 30},
        {"type": "text", "text": "y" * 90},
        {"type": "image", "base64": "z" * 500, "mime_type": "image/png"},
        {"type": "text", "text": "last"},
    ]
    limits = Limits(result_chars=100)
    service = serve(
        "/chat", asks_for(call("give", "g1")), "Oh.", tools=[returning(blocks)], limits=limits
    )

    assert service.answer("Berapa?") == "Oh."
    content: Any = results_of(service.last_input)[-1].content
    first, second, image, last = content
    assert first == blocks[0]
    assert second["text"].startswith("y" * 70 + "\n[The result was too long: 20 of 90")
    assert "characters were cut off" in image["text"]
    assert "4 of 4 characters were cut off" in last["text"]


class Forecast(BaseModel):
    city: str


class Opaque:
    def __str__(self) -> str:
        return "opaque"


RESULTS: dict[str, tuple[Any, str]] = {
    "empty": ("", EMPTY_RESULT_MESSAGE),
    "blank": (" \n", EMPTY_RESULT_MESSAGE),
    "empty list": ([], EMPTY_RESULT_MESSAGE),
    "empty block": ([{"type": "text", "text": ""}], EMPTY_RESULT_MESSAGE),
    "None": (None, "null"),
    "object": (Opaque(), "opaque"),
    "model": (Forecast(city="Roma"), "city='Roma'"),
    "70 bits": (2**70, "1180591620717411303424"),
    "NaN": (math.nan, "NaN"),
    "bytes": (b"\x00\xff", "b'\\x00\\xff'"),
    "set": ({1}, "{1}"),
    "NUL": ("a\x00b", f"a{REPLACEMENT}b"),
    "nested NUL": ({"a": ["\x00"]}, '{"a": ["\\u0000"]}'),
}


@pytest.mark.parametrize(("value", "text"), RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.usefixtures("each_store")
def test_b68_whatever_a_tool_returns_can_be_stored_and_is_not_empty(
    serve: MakeService, value: Any, text: str
) -> None:
    calls = asks_for(call("give", "g1"))
    service = serve("/hitl/chat", calls, "Oh.", "Halo.", tools=[returning(value)], gated=["give"])
    service.say("Berapa?")

    assert service.decide(APPROVE).json()["answer"] == "Oh."
    assert results_of(service.last_input)[-1].text == text
    assert service.answer("Hai") == "Halo."


ODD_MESSAGES: dict[str, ToolMessage] = {
    "artifact": ToolMessage("x", tool_call_id="g1", artifact={"o": Opaque(), "n": 2**70}),
    "block": ToolMessage([{"type": "text", "text": "x", "n": 2**70}], tool_call_id="g1"),
    "bytes": ToolMessage(
        [{"type": "json", "json": {"b": b"\x00", "n": math.nan}}], tool_call_id="g1"
    ),
    "metadata": ToolMessage("x", tool_call_id="g1", additional_kwargs={"o": Opaque()}),
}


@pytest.mark.parametrize("message", ODD_MESSAGES.values(), ids=ODD_MESSAGES.keys())
@pytest.mark.usefixtures("each_store")
def test_b68_a_tool_that_makes_its_own_message_spoils_no_store(
    serve: MakeService, message: ToolMessage
) -> None:
    calls = asks_for(call("give", "g1"))
    service = serve("/chat", calls, "Oh.", "Halo.", tools=[returning(message)])

    assert service.answer("Berapa?") == "Oh."
    assert service.answer("Hai") == "Halo."


def test_limits_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_ARGUMENTS_MAX_CHARS", "200")
    monkeypatch.setenv("TOOL_ARGUMENTS_MAX_NESTING", "3")
    monkeypatch.setenv("TOOL_RESULT_MAX_CHARS", "100")
    monkeypatch.setenv("HISTORY_MAX_MESSAGES", "4")
    monkeypatch.setenv("HISTORY_MAX_TOKENS", "1000")

    assert Settings().limits == Limits(
        argument_chars=200, nesting=3, result_chars=100, history_messages=4, history_tokens=1000
    )


def test_a_configured_limit_of_arguments_holds(serve: MakeService, path: str) -> None:
    limits = Limits(argument_chars=100, nesting=2)
    calls = asks_for(
        weather_in("x" * 101, "w1"), call("get_weather", "w2", location="x", deep=[[[1]]])
    )
    service = serve(path, calls, "Oh.", limits=limits)

    assert service.answer("Cuaca?") == "Oh."
    long, deep = results_of(service.last_input)
    assert "Argument 'location' is too long: all arguments together may have 100" in long.text
    assert "Argument 'deep' is nested too deeply" in deep.text
    assert service.office.looked_up == []
