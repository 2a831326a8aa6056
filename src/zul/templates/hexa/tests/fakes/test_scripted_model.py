from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.tools import tool

from tests.fakes.scripted_model import ScriptedChatModel, ScriptOverError


@tool
def get_weather(location: str) -> str:
    """Get the weather."""
    return location


def _call(call_id: str, **args: Any) -> dict[str, Any]:
    return {"name": "get_weather", "args": args, "id": call_id, "type": "tool_call"}


def _streamed(model: ScriptedChatModel) -> AIMessageChunk:
    first, *rest = model.stream("hi")
    return first + rest


def test_every_kind_of_reply() -> None:
    script = ["text", AIMessage("message"), lambda messages: f"{len(messages)} seen", OSError("no")]
    model = ScriptedChatModel(script=script)
    assert [model.invoke("hi").content for _ in range(3)] == ["text", "message", "1 seen"]
    with pytest.raises(OSError, match="no"):
        model.invoke("hi")


def test_what_came_in_is_recorded() -> None:
    model = ScriptedChatModel(script=["a", "b"])
    model.invoke([HumanMessage("first")])
    model.bind_tools([get_weather]).invoke([HumanMessage("second")])
    assert [[message.content for message in turn] for turn in model.inputs] == [
        ["first"],
        ["second"],
    ]
    assert model.bound_tool_names == ["get_weather"]


@pytest.mark.parametrize("text", ["", "one", " two  words\n", "a\n\nb c"])
def test_streamed_text_adds_up(text: str) -> None:
    assert _streamed(ScriptedChatModel(script=[text])).content == text


def test_streamed_calls_add_up() -> None:
    reply = AIMessage(
        "I look",
        tool_calls=[_call("a", location="Paris"), _call("b", location="Tokyo")],
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        id="m1",
    )
    streamed = _streamed(ScriptedChatModel(script=[reply]))
    assert streamed.tool_calls == reply.tool_calls
    assert (streamed.id, streamed.usage_metadata) == ("m1", reply.usage_metadata)


def test_streamed_invalid_calls_stay_invalid() -> None:
    bad = {"name": "x", "args": '{"a": "b', "id": "c1", "error": None, "type": "invalid_tool_call"}
    streamed = _streamed(ScriptedChatModel(script=[AIMessage("", invalid_tool_calls=[bad])]))
    assert streamed.tool_calls == []
    assert [call["id"] for call in streamed.invalid_tool_calls] == ["c1"]


def test_content_blocks_are_streamed_whole() -> None:
    blocks: list[str | dict[str, Any]] = [{"type": "text", "text": "Sunny"}]
    streamed = _streamed(ScriptedChatModel(script=[AIMessage(content=blocks)]))
    assert streamed.content == blocks


def test_the_script_is_not_changed_by_its_use() -> None:
    reply = AIMessage("hi")
    model = ScriptedChatModel(script=[reply, reply])
    first, second = model.invoke("x"), model.invoke("x")
    assert reply.id is None
    assert first.id != second.id


def test_the_end_of_the_script_says_what_happened() -> None:
    model = ScriptedChatModel(script=["only one"])
    model.invoke("hi")
    with pytest.raises(ScriptOverError, match=r"1 replies were scripted.*human: 'and now\?'"):
        model.invoke("and now?")


def test_threads_share_one_script() -> None:
    model = ScriptedChatModel(script=[str(number) for number in range(200)])
    with ThreadPoolExecutor(16) as pool:
        contents = pool.map(lambda _: model.invoke("x").text, range(200))
    assert sorted(contents) == sorted(str(number) for number in range(200))
