"""Makes a model's reply well-formed before it becomes part of the conversation.

Rules of this module:

- Every call has an id that no other call of the conversation has.
- A call that cannot be read, or whose arguments cannot be kept, gets its error result at once: it
  never runs, and the model can try again. It stays in the history without arguments.
- Everything that the provider gave for itself (thinking, signatures, metadata) stays as it is.
- A reply that says nothing and calls nothing is no reply.
"""

from collections.abc import Sequence, Set
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

from src.application.AI.agents.call_copies import ReadCall, revise_copies
from src.application.AI.agents.call_reading import CallReader, is_usable_id, read_calls
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.storable import clean_text, storable, storable_content
from src.application.AI.agents.tool_calls import error_result

EMPTY_REPLY_MESSAGE = "Maaf, model bahasa tidak memberi jawaban."
"""Stands for a reply without text and calls: providers refuse a history with an empty message."""

MALFORMED_REPLY_MESSAGE = (
    "Maaf, model bahasa berulang kali meminta aksi dengan argumen yang tidak dapat dibaca. "
    "Aksi itu tidak dijalankan."
)
MAX_MALFORMED_REPLIES = 3
"""So many replies in a row whose calls are all broken end the turn with a plain sentence."""

_MALFORMED = "malformed_call"


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
    calls = read_calls(reply, message, CallReader(history, limits, tool_names))
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
    is_own = is_usable_id(message.id) and message.id not in taken
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
