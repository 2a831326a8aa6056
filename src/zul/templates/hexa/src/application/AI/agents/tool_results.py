"""Makes the result of a tool fit to be stored, and short enough to be sent to a model."""

import json
from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.types import Command

from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.storable import (
    clean_text,
    json_only,
    storable,
    storable_content,
)

EMPTY_RESULT_MESSAGE = "The tool returned nothing."
"""Stands for a result without content: providers refuse such a result."""


def answering(call: ToolCall, result: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
    """Return ``result`` with an answer to ``call``.

    LangGraph lets a command pass that updates nothing, and its call would stay without a result.
    """
    if isinstance(result, ToolMessage) or result.graph is not None or result.update is not None:
        return result
    answer = ToolMessage(EMPTY_RESULT_MESSAGE, name=call["name"], tool_call_id=call["id"] or "")
    return Command(update={"messages": [answer]}, resume=result.resume, goto=result.goto)


def kept_result(
    result: ToolMessage | Command[Any], limits: Limits = DEFAULT_LIMITS
) -> ToolMessage | Command[Any]:
    """Return ``result`` with content that is JSON, not empty and not longer than allowed."""
    if isinstance(result, ToolMessage):
        return _kept_message(result, limits)
    update = result.update
    if not isinstance(update, dict) or not isinstance(update.get("messages"), list):
        return result
    messages = [
        _kept_message(each, limits) if isinstance(each, ToolMessage) else each
        for each in update["messages"]
    ]
    return Command(
        graph=result.graph,
        update={**update, "messages": messages},
        resume=result.resume,
        goto=result.goto,
    )


def _kept_message(message: ToolMessage, limits: Limits) -> ToolMessage:
    content = message.content
    kept: str | list[Any] = (
        _kept_text(content, limits.result_chars)
        if isinstance(content, str)
        else _kept_parts(json_only(storable_content(content)), limits.result_chars)
    )
    return message.model_copy(
        update={
            "content": kept if _says_something(kept) else EMPTY_RESULT_MESSAGE,
            "artifact": storable(message.artifact),
            "additional_kwargs": storable(message.additional_kwargs),
            "response_metadata": storable(message.response_metadata),
        }
    )


def _kept_text(text: str, room: int) -> str:
    if len(text) > room:
        text = f"{text[:room]}\n{_cut_note(len(text) - room, len(text))}"
    return clean_text(text)


def _cut_note(missing: int, total: int) -> str:
    return f"[The result was too long: {missing} of {total} characters were cut off here.]"


def _kept_parts(parts: list[Any], room: int) -> list[Any]:
    """Keep blocks from the first on while there is room; a text block is cut, others go whole."""
    kept: list[Any] = []
    for part in parts:
        text = _text_of(part)
        size = len(json.dumps(part)) if text is None else len(text)
        if size <= room:
            kept.append(part)
        elif text is None:
            kept.append(_text_block(_cut_note(size, size)))
        else:
            kept.append(_text_block(_kept_text(text, max(room, 0))))
        room = max(room - size, 0)
    return kept


def _text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _text_of(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if part.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _says_something(content: str | list[Any]) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return any((text := _text_of(part)) is None or text.strip() for part in content)
