"""Makes a model's reply well-formed before it becomes part of the conversation.

Rules of this module:

- Every call has an id that no other call of the conversation has.
- A call that cannot be read, or whose arguments cannot be kept, gets its error result at once: it
  never runs, and the model can try again. It stays in the history without arguments.
- Everything that the provider gave for itself (thinking, signatures, metadata) stays as it is.
- A reply that says nothing and calls nothing is no reply.
"""

import json
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    ToolMessage,
    message_chunk_to_message,
)
from langchain_core.messages.tool import tool_call

from src.application.AI.agents.call_copies import (
    ReadCall,
    id_in,
    name_in,
    revise_copies,
    stray_copies,
)
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.storable import (
    clean_text,
    storable,
    storable_content,
    unstorable_part,
)
from src.application.AI.agents.tool_calls import error_result, is_tool_name

EMPTY_REPLY_MESSAGE = "Maaf, model bahasa tidak memberi jawaban."
"""Stands for a reply without text and calls: providers refuse a history with an empty message."""

MALFORMED_REPLY_MESSAGE = (
    "Maaf, model bahasa berulang kali meminta aksi dengan argumen yang tidak dapat dibaca. "
    "Tidak ada aksi yang dijalankan."
)
MAX_MALFORMED_REPLIES = 3
"""So many replies in a row whose calls are all broken end the turn with a plain sentence."""

NAMELESS_TOOL = "unknown_tool"

_MALFORMED = "malformed_call"
_UNREADABLE = "{"
_TRY_AGAIN = "Nothing was executed. Correct the arguments and call the tool again."
_SHOWN = 100
_ID = re.compile(r"[\x21-\x7e]{1,128}")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that every store and provider accepts.

    Attributes:
        message: the model's message.
        results: the error results of its broken calls.
    """

    message: AIMessage
    results: list[ToolMessage]

    @property
    def is_empty(self) -> bool:
        """The model says nothing and calls nothing."""
        return not self.message.tool_calls and not self.message.text.strip()

    @property
    def is_malformed(self) -> bool:
        """The model calls tools, and every call is broken."""
        return bool(self.results) and len(self.results) == len(self.message.tool_calls)

    @property
    def update(self) -> list[AnyMessage]:
        """The messages to store."""
        return [self.message, *self.results]

    def replaced_by(self, text: str) -> "Reply":
        """Return a reply that says ``text`` and calls nothing, in place of this one."""
        return Reply(AIMessage(text, id=self.message.id), [])


def well_formed(
    reply: BaseMessage,
    history: Sequence[AnyMessage],
    *,
    limits: Limits = DEFAULT_LIMITS,
    tool_names: Set[str] = frozenset(),
) -> Reply:
    """Return ``reply`` as it may be stored.

    Args:
        reply: what the model gave.
        history: the conversation so far; ids that it has are given to nobody else.
        limits: how long and how deep arguments may be.
        tool_names: what can be called. Any other name has to look like a name.
    """
    message = _plain(reply, history)
    calls = _read_calls(message, _guessed_ids(reply), _CallReader(history, limits, tool_names))
    content, kwargs = revise_copies(message, calls)
    message = message.model_copy(
        update={
            "content": content,
            "additional_kwargs": kwargs,
            "tool_calls": [read.call for read in calls],
            "invalid_tool_calls": [],
        }
    )
    return Reply(message, [_result(read) for read in calls if read.fault is not None])


def malformed_in_a_row(history: Sequence[AnyMessage]) -> int:
    """Count the replies at the end of the history whose calls were all broken."""
    count, open_results = 0, 0
    for message in reversed(history):
        if isinstance(message, ToolMessage) and _MALFORMED in message.response_metadata:
            open_results += 1
        elif isinstance(message, AIMessage) and 0 < open_results == len(message.tool_calls):
            count, open_results = count + 1, 0
        else:
            break
    return count


def _result(read: ReadCall) -> ToolMessage:
    result = error_result(read.call, f"Error: {read.fault}")
    result.response_metadata = {_MALFORMED: True}
    return result


def _plain(reply: BaseMessage, history: Sequence[AnyMessage]) -> AIMessage:
    """Return the reply as a whole message of plain data, under an id of its own."""
    message = message_chunk_to_message(reply) if isinstance(reply, AIMessageChunk) else reply
    if not isinstance(message, AIMessage):
        message = AIMessage(message.content, id=message.id)
    taken = {each.id for each in history}
    is_own = message.id is not None and _ID.fullmatch(message.id) and message.id not in taken
    return message.model_copy(
        update={
            "id": message.id if is_own else f"reply_{uuid4().hex}",
            "content": _plain_content(message.content),
            "additional_kwargs": storable(message.additional_kwargs),
            "response_metadata": storable(message.response_metadata),
        }
    )


def _plain_content(content: Any) -> str | list[Any]:
    if isinstance(content, list):
        return storable_content(content)
    return "" if content is None else clean_text(str(content))


def _guessed_ids(reply: BaseMessage) -> frozenset[str | None]:
    """Return the ids of calls that LangChain completed from arguments that break off."""
    chunks = reply.tool_call_chunks if isinstance(reply, AIMessageChunk) else []
    return frozenset(chunk["id"] for chunk in chunks if not _is_readable(chunk["args"]))


def _is_readable(text: str | None) -> bool:
    if not text:
        return True
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _read_calls(
    message: AIMessage, guessed: frozenset[str | None], reader: "_CallReader"
) -> list[ReadCall]:
    calls = [
        reader.read(
            call.get("name"),
            _UNREADABLE if call.get("id") in guessed else call.get("args"),
            call.get("id"),
        )
        for call in message.tool_calls
    ]
    calls += [
        reader.read(bad.get("name"), (bad.get("args") or "").strip() and _UNREADABLE, bad.get("id"))
        for bad in message.invalid_tool_calls
    ]
    strays = stray_copies(message, calls)
    return calls + [reader.read(name_in(copy), _UNREADABLE, id_in(copy)) for copy in strays]


class _CallReader:
    """Turns what the model gave for a call into one that the conversation can keep."""

    def __init__(self, history: Iterable[AnyMessage], limits: Limits, tool_names: Set[str]) -> None:
        self._limits = limits
        self._tool_names = tool_names
        self._taken = _call_ids_in(history)

    def read(self, name: Any, args: Any, call_id: Any) -> ReadCall:
        given_id = call_id if isinstance(call_id, str) and call_id else None
        no_args = args is None or args == ""  # how many models write "no arguments"
        plain_name = self._name(name)
        fault = self._fault(name, plain_name, {} if no_args else args)
        return ReadCall(
            given_id=given_id,
            call=tool_call(
                name=plain_name,
                args={} if no_args or fault is not None else args,
                id=self._id(given_id),
            ),
            is_altered=no_args or fault is not None,
            fault=fault,
        )

    def _name(self, name: Any) -> str:
        if not isinstance(name, str):
            return NAMELESS_TOOL
        if name in self._tool_names or is_tool_name(name):
            return name
        return _NOT_IN_NAMES.sub("_", name).strip("_")[:64] or NAMELESS_TOOL

    def _fault(self, name: Any, plain_name: str, args: Any) -> str | None:
        if name != plain_name:
            known = ", ".join(sorted(self._tool_names))
            return f"{ascii(name)[:_SHOWN]} is not a valid tool, try one of [{known}]."
        if not isinstance(args, dict):
            return f"The arguments are not one complete JSON object. {_TRY_AGAIN}"
        part = unstorable_part(args, self._limits)
        return None if part is None else f"{part}. {_TRY_AGAIN}"

    def _id(self, given: str | None) -> str:
        is_free = given is not None and _ID.fullmatch(given) and given not in self._taken
        call_id = given if is_free and given else f"call_{uuid4().hex}"
        self._taken.add(call_id)
        return call_id


def _call_ids_in(history: Iterable[AnyMessage]) -> set[str | None]:
    asked = {call["id"] for m in history if isinstance(m, AIMessage) for call in m.tool_calls}
    answered = {m.tool_call_id for m in history if isinstance(m, ToolMessage)}
    return asked | answered
