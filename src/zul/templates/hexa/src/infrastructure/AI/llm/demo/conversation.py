"""A read-only view of the message history: turns, what was called in them, and what came back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from src.infrastructure.AI.llm.demo.text import MAX_READ_CHARACTERS, clean

_ID_LENGTH = 12
_MAX_DEPTH = 20


@dataclass(slots=True)
class MadeCall:
    """A tool call of the history and its result, if there is one."""

    id: str
    name: str
    args: Mapping[str, Any]
    result: str | None = None
    failed: bool = False


@dataclass(slots=True)
class Round:
    """The calls of one model message; `digest` identifies the history in front of it."""

    digest: str
    calls: list[MadeCall]


@dataclass(slots=True)
class Turn:
    """One message of the user and everything that followed it."""

    request: str
    rounds: list[Round] = field(default_factory=list)

    @property
    def calls(self) -> list[MadeCall]:
        """All calls of the turn, in order."""
        return [call for made in self.rounds for call in made.calls]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All turns up to now; `digest` identifies the whole history."""

    turns: tuple[Turn, ...]
    digest: str

    @property
    def requests(self) -> list[str]:
        """Everything the user said, in order."""
        return [turn.request for turn in self.turns]

    def before_last(self) -> "Conversation":
        """Return the conversation as it was before the last message of the user."""
        return Conversation(self.turns[:-1], "")


def read_conversation(messages: Iterable[BaseMessage]) -> Conversation:
    """Return the turns of a history; whatever does not fit into one is passed over."""
    turns: list[Turn] = []
    history = sha256()
    for message in messages:
        if isinstance(message, SystemMessage):
            continue
        text = text_of(message)
        if isinstance(message, AIMessage):
            _add_round(turns, message, history.hexdigest())
        elif isinstance(message, ToolMessage):
            _add_result(turns, message, text)
        elif message.type == "human" or getattr(message, "role", "") == "user":
            turns.append(Turn(text))
        history.update(_identity(message, text))
    return Conversation(tuple(turns), history.hexdigest())


def call_id(digest: str, number: int) -> str:
    """Return the id of the call with this number in the answer to the history with this digest."""
    return f"call_{digest[:_ID_LENGTH]}_{number}"


def text_of(message: BaseMessage) -> str:
    """Return the text of a message, whatever form its content has; other blocks are left out."""
    content = message.content
    if isinstance(content, str):
        return clean(content)
    parts = (_text_of_block(block) for block in content)
    return clean("\n".join(part for part in parts if part))


def _text_of_block(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return ""
    if isinstance(block.get("text"), str):
        return str(block["text"])
    data = block.get("json")
    return json.dumps(data, ensure_ascii=False, default=str) if data is not None else ""


def _add_round(turns: Sequence[Turn], message: AIMessage, digest: str) -> None:
    calls = [
        MadeCall(str(call["id"] or ""), clean(call["name"]), _clean_json(call["args"]))
        for call in message.tool_calls
    ]
    if turns and calls:
        turns[-1].rounds.append(Round(digest, calls))


def _clean_json(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return clean(value)
    if depth < _MAX_DEPTH and isinstance(value, dict):
        return {clean(str(k)): _clean_json(v, depth + 1) for k, v in value.items()}
    if depth < _MAX_DEPTH and isinstance(value, list):
        return [_clean_json(item, depth + 1) for item in value]
    return value if value is None or isinstance(value, int | float) else str(value)


def _add_result(turns: Sequence[Turn], message: ToolMessage, text: str) -> None:
    calls = turns[-1].calls if turns else []
    call = next((c for c in calls if c.id == message.tool_call_id and c.result is None), None)
    if call is not None:
        call.result, call.failed = text[:MAX_READ_CHARACTERS], message.status == "error"


def _identity(message: BaseMessage, text: str) -> bytes:
    calls = (
        [str(call.get("id")) for call in message.tool_calls]
        if isinstance(message, AIMessage)
        else []
    )
    return "\x1f".join([message.type, text, *calls, "\x1e"]).encode("utf-8", "surrogatepass")
