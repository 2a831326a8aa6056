"""Reads the calls of a model's reply as the conversation can keep them."""

import re
from collections.abc import Iterable, Set
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from src.application.AI.agents.call_copies import ReadCall, id_in, name_in, stray_copies
from src.application.AI.agents.limits import Limits
from src.application.AI.agents.storable import unstorable_part
from src.application.AI.agents.tool_calls import is_json_object, is_tool_name

NAMELESS_TOOL = "unknown_tool"

_UNREADABLE = "{"
_TRY_AGAIN = "Nothing was executed. Correct the arguments and call the tool again."
_SHOWN = 100
_ID = re.compile(r"[\x21-\x7e]{1,128}")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


def is_usable_id(given: object) -> bool:
    """Tell whether every provider and store takes ``given`` as an id."""
    return isinstance(given, str) and _ID.fullmatch(given) is not None


def read_calls(reply: BaseMessage, message: AIMessage, reader: "CallReader") -> list[ReadCall]:
    """Return every call of a reply, in order, the broken ones behind the others.

    Args:
        reply: as the model gave it, perhaps a chunk.
        message: the same as a whole message of plain data.
        reader: makes each call one that the conversation can keep.
    """
    guessed = _guessed_ids(reply)
    calls = [
        reader.read(
            call.get("name"),
            _UNREADABLE if call.get("id") in guessed else call.get("args"),
            call.get("id"),
        )
        for call in message.tool_calls
    ]
    calls += [
        reader.read(bad.get("name"), _given(bad.get("args")), bad.get("id"))
        for bad in message.invalid_tool_calls
    ]
    strays = stray_copies(message, calls)
    return calls + [reader.read(name_in(copy), _UNREADABLE, id_in(copy)) for copy in strays]


def _given(broken_args: str | None) -> str | None:
    """Blank arguments mean that there are none; anything else is broken."""
    return _UNREADABLE if broken_args and broken_args.strip() else None


def _guessed_ids(reply: BaseMessage) -> frozenset[str | None]:
    """Return the ids of calls that LangChain completed from arguments that break off."""
    chunks = reply.tool_call_chunks if isinstance(reply, AIMessageChunk) else []
    return frozenset(
        chunk["id"] for chunk in chunks if chunk["args"] and not is_json_object(chunk["args"])
    )


class CallReader:
    """Turns what the model gave for a call into one that the conversation can keep."""

    def __init__(self, history: Iterable[AnyMessage], limits: Limits, tool_names: Set[str]) -> None:
        self._limits = limits
        self._tool_names = tool_names
        self._taken = _call_ids_in(history)

    def read(self, name: Any, args: Any, call_id: Any) -> ReadCall:
        """Return the call with an id of its own, and with its fault if it has one."""
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
        is_free = is_usable_id(given) and given not in self._taken
        call_id = given if given and is_free else f"call_{uuid4().hex}"
        self._taken.add(call_id)
        return call_id


def _call_ids_in(history: Iterable[AnyMessage]) -> set[str | None]:
    asked = {call["id"] for m in history if isinstance(m, AIMessage) for call in m.tool_calls}
    answered = {m.tool_call_id for m in history if isinstance(m, ToolMessage)}
    return asked | answered
