import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, ToolCall, ToolMessage
from typing_extensions import override

from src.application.AI.agents.storable import clean_text
from src.application.AI.agents.tool_calls import is_rejected
from src.application.conversation import Watcher
from src.interface.http.streams.events import (
    Event,
    StepFinished,
    StepStarted,
    Token,
    ToolAnswered,
    ToolCalled,
)


class EventTranslator(Watcher):
    """Turns the parts of a graph's stream into events."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._started_at: dict[str, float] = {}
        self._opened_by: dict[str, ToolCall] = {}

    @override
    def see(self, part: Mapping[str, Any]) -> None:
        place = self._place(part["ns"])
        data = part["data"]
        if part["type"] == "messages":
            self._see_message(data[0], place)
        elif "input" in data:
            self._see_start(data, place)
        else:
            self._see_end(data, place)

    def _place(self, namespace: Sequence[str]) -> dict[str, Any]:
        """Say where something happened: the subagent, the call that opened it, and its step."""
        task_id = namespace[-1].rpartition(":")[2] if namespace else None
        call = self._opened_by.get(task_id) if task_id else None
        return {
            "depth": len(namespace),
            "agent": call["name"] if call else None,
            "parent_tool_call_id": call["id"] if call else None,
            "parent_step_id": task_id,
        }

    def _see_message(self, message: Any, place: dict[str, Any]) -> None:
        text = str(message.text) if isinstance(message, AIMessageChunk) else ""
        if text:
            # Pieces come as the model sends them; only the whole reply has been cleaned.
            message_id = clean_text(message.id or "")
            self._emit(Token(message_id=message_id, text=clean_text(text), **place))

    def _see_start(self, task: Mapping[str, Any], place: dict[str, Any]) -> None:
        self._started_at[task["id"]] = time.perf_counter()
        call = task["input"].get("call") if isinstance(task["input"], dict) else None
        if call is not None:
            self._opened_by[task["id"]] = call
        self._emit(StepStarted(step_id=task["id"], node=task["name"], **place))

    def _see_end(self, task: Mapping[str, Any], place: dict[str, Any]) -> None:
        for event in _message_events(task.get("result"), place):
            self._emit(event)
        started_at = self._started_at.pop(task["id"], time.perf_counter())
        self._emit(
            StepFinished(
                step_id=task["id"],
                node=task["name"],
                seconds=round(time.perf_counter() - started_at, 4),
                failed=task.get("error") is not None,
                paused=bool(task.get("interrupts")),
                **place,
            )
        )


def _message_events(result: Any, place: dict[str, Any]) -> Iterable[Event]:
    messages = result.get("messages", []) if isinstance(result, dict) else []
    for message in messages if isinstance(messages, list) else [messages]:
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                yield ToolCalled(id=call["id"] or "", name=call["name"], args=call["args"], **place)
        elif isinstance(message, ToolMessage):
            yield ToolAnswered(
                id=message.tool_call_id,
                name=message.name,
                content=str(message.text),
                failed=message.status == "error",
                rejected=is_rejected(message),
                **place,
            )
