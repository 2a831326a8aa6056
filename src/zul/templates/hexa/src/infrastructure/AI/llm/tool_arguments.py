"""Tool-call arguments as models write them: JSON text that should be an object, and is not always.

While a reply streams in, LangChain completes broken JSON by guessing: ``{"to": "a@b.c", "su`` turns
into a call with one argument. A guessed call must never run, so it is made an invalid one.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk, ToolCallChunk
from langchain_core.utils.json import parse_partial_json

from src.application.AI.agents.tool_calls import is_json_object

_SPOILERS = ("]", "}", '"]', '"}', '""]', '""}')
"""One of these behind any broken JSON leaves a bracket without its partner."""


def spoil_guessed_calls(messages: Sequence[AIMessageChunk]) -> AIMessageChunk | None:
    """Return a last chunk that makes calls with broken arguments invalid, if there are any.

    Args:
        messages: all chunks of one reply.
    """
    pieces = [
        AIMessageChunk(content="", tool_call_chunks=message.tool_call_chunks)
        for message in messages
        if message.tool_call_chunks
    ]
    if not pieces:
        return None
    calls = (pieces[0] + pieces[1:]).tool_call_chunks
    spoilers = [_spoiler(call) for call in calls if _is_guessed(call["args"])]
    return AIMessageChunk(content="", tool_call_chunks=spoilers) if spoilers else None


def _is_guessed(text: str | None) -> bool:
    return bool(text) and not is_json_object(text) and _reads_as_object(text or "")


def _spoiler(call: ToolCallChunk) -> ToolCallChunk:
    text = call["args"] or ""
    suffix = next(end for end in _SPOILERS if not _reads_as_object(text + end))
    return {**call, "name": None, "args": suffix}


def _reads_as_object(text: str) -> bool:
    try:
        value: Any = parse_partial_json(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)
