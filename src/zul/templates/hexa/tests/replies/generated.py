"""Strategies for what models, reviewers and users may send, good and bad."""

import json
import math
from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall, ToolCall
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from pydantic import ValidationError

from src.application.errors import ModelCallError, ModelTimeoutError

ODD_VALUES = [2**64, -(2**70), math.nan, math.inf, "\x00", "\ud83d", "", None, [[[]]], {"": {}}]

characters = st.characters(codec=None, exclude_categories=())
text = st.text(characters, max_size=20)
plain = st.none() | st.booleans() | st.integers() | st.floats() | text | st.sampled_from(ODD_VALUES)
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3)
)


def _deeper(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


people = st.sampled_from(["alice", "budi", "citra"])


@st.composite
def mostly(draw: st.DrawFn, good: st.SearchStrategy[Any], bad: st.SearchStrategy[Any]) -> Any:
    """Three of four times something that gets further."""
    return draw(good if draw(st.integers(0, 3)) else bad)


known_names = st.sampled_from(["send_email", "send_email", "get_weather"])
names = mostly(known_names, st.sampled_from(["send_emial", "", "send email"]) | text)
call_ids = st.sampled_from([None, "", "c1", "c1", "c2", "c3", "c4", "\x00", "a b"])
good_args = st.builds(lambda to: {"to": to, "location": to}, people)
odd_args = st.one_of(
    st.builds(lambda to, extra: {"to": to, "subject": extra}, people, values),
    st.dictionaries(text, values, max_size=3),
    st.builds(lambda n: {"to": "alice", "cc": _deeper(n)}, st.sampled_from([5, 31, 33, 150])),
)
args = mostly(good_args, odd_args)
broken_args = st.sampled_from(
    ["", None, "{", '{"to": "al', "[1]", "3", "null", '"{}"', '{"to": NaN', "{} {}"]
)


@st.composite
def calls(draw: st.DrawFn) -> ToolCall:
    return tool_call(name=draw(names), args=draw(args), id=draw(call_ids))


@st.composite
def invalid_calls(draw: st.DrawFn) -> InvalidToolCall:
    return invalid_tool_call(
        name=draw(names | st.none()), args=draw(broken_args), id=draw(call_ids), error=draw(text)
    )


@st.composite
def copies(draw: st.DrawFn, tool_calls: list[ToolCall]) -> dict[str, Any]:
    """A copy of one of the calls, or one of a call that is nowhere else."""
    call: Any = draw(st.sampled_from(tool_calls)) if tool_calls else draw(calls())
    kind = draw(st.sampled_from(["tool_use", "function_call", "tool_call", "function"]))
    call_id = draw(st.sampled_from([call["id"], "stray"]))
    arguments = json.dumps(call["args"])
    if kind == "tool_use":
        return {"type": kind, "id": call_id, "name": call["name"], "input": call["args"]}
    if kind == "function_call":
        return {"type": kind, "call_id": call_id, "name": call["name"], "arguments": arguments}
    if kind == "tool_call":
        return {"type": kind, "id": call_id, "name": call["name"], "args": call["args"]}
    return {"id": call_id, "function": {"name": call["name"], "arguments": arguments}}


@st.composite
def contents(draw: st.DrawFn, tool_calls: list[ToolCall]) -> Any:
    if draw(st.booleans()):
        return draw(st.sampled_from(["", " ", "Baik."]) | text)
    block = st.one_of(
        st.builds(lambda t: {"type": "text", "text": t}, text),
        st.builds(lambda t: {"type": "thinking", "thinking": t, "signature": t}, text),
        st.dictionaries(st.sampled_from(["type", "text", "id"]), plain, max_size=3),
        copies(tool_calls),
        text,
    )
    return draw(st.lists(block, max_size=4))


@st.composite
def messages(draw: st.DrawFn) -> AIMessage:
    tool_calls = draw(st.lists(calls(), max_size=3))
    kwargs: dict[str, Any] = draw(st.dictionaries(text, values, max_size=2))
    if draw(st.integers(0, 3)) == 0:
        kwargs["tool_calls"] = draw(st.lists(copies(tool_calls) | plain, max_size=3))
    if draw(st.integers(0, 5)) == 0:
        kwargs["function_call"] = draw(copies(tool_calls))
    fields = {
        "content": draw(mostly(st.just("Baik."), contents(tool_calls))),
        "tool_calls": tool_calls,
        "invalid_tool_calls": draw(mostly(st.just([]), st.lists(invalid_calls(), max_size=2))),
        "additional_kwargs": kwargs,
        "response_metadata": draw(st.dictionaries(text, values, max_size=2)),
        "id": draw(st.sampled_from([None, None, "m1", "m1", "", "\x00"])),
    }
    try:
        return AIMessage(**fields)
    except (ValidationError, AttributeError, TypeError):  # LangChain refuses it, so no model can
        return AIMessage("Baik.")


@st.composite
def chunks(draw: st.DrawFn) -> AIMessage:
    pieces = [
        tool_call_chunk(name=draw(names), args=draw(broken_args), id=draw(call_ids), index=index)
        for index in range(draw(st.integers(0, 2)))
    ]
    content = draw(st.sampled_from(["", "Baik."]))
    return AIMessageChunk(content=content, tool_call_chunks=pieces)


failures = st.sampled_from([ModelCallError(), ModelTimeoutError(), RuntimeError("sk-secret")])
replies = st.lists(mostly(messages(), messages() | chunks() | failures), min_size=1, max_size=8)
user_texts = mostly(st.sampled_from(["Kirim", "Cuaca?"]), text)

decisions = mostly(
    st.sampled_from([{"type": "approve"}, {"type": "approve"}, {"type": "reject"}]),
    st.one_of(
        st.builds(lambda m: {"type": "reject", "message": m}, text),
        st.builds(
            lambda name, given: {"type": "edit", "edited_action": {"name": name, "args": given}},
            names,
            args | plain,
        ),
        st.dictionaries(text, plain, max_size=2),
        plain,
    ),
)
