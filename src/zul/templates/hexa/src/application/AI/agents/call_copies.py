"""Finds and rewrites the copies of tool calls that providers keep beside ``tool_calls``.

Content blocks and ``additional_kwargs`` repeat a call under its id. A copy that nobody keeps in
step is sent back to the provider as a call that never gets a result, or with arguments that never
ran.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

from src.application.AI.agents.edited_calls import rewrite_copy

Block = dict[str, Any]

# No set: what a block has for a type need not be hashable.
_COPY_TYPES = ("tool_use", "function_call", "tool_call", "invalid_tool_call", "custom_tool_call")


@dataclass(frozen=True, slots=True, eq=False)
class ReadCall:
    """A call as the model meant it.

    Attributes:
        given_id: the id that the model's message has for it, if any.
        call: what becomes part of the conversation.
        is_altered: name or arguments are not those of the model.
        fault: why it does not run; ``None`` for a call in order.
    """

    given_id: str | None
    call: ToolCall
    is_altered: bool = False
    fault: str | None = None


def stray_copies(message: AIMessage, calls: Sequence[ReadCall]) -> list[Block]:
    """Return copies of calls that are not among ``calls``; each once, wherever it is repeated."""
    strays: list[Block] = []
    for blocks in _places(message):
        unused = list(calls)
        for block in blocks:
            if _take(unused, block) is None and not any(_same(block, s) for s in strays):
                strays.append(block)
    return strays


def id_in(block: Block) -> str | None:
    """Return the call id that a copy repeats."""
    found = block.get(_id_key(block))
    return found if isinstance(found, str) else None


def name_in(block: Block) -> Any:
    """Return the tool's name in a copy."""
    function = block.get("function")
    return (function if isinstance(function, dict) else block).get("name")


def revise_copies(
    message: AIMessage, calls: Sequence[ReadCall]
) -> tuple[str | list[Any], dict[str, Any]]:
    """Return content and ``additional_kwargs`` in which every copy says what ``calls`` say."""
    content: Any = message.content
    if isinstance(content, list):
        content = _revise(content, calls)
    kwargs = _rename_keys(message.additional_kwargs, calls)
    raw = kwargs.pop("tool_calls", None)
    copies = _revise([each for each in raw if isinstance(each, dict)], calls) if raw else []
    if copies:
        kwargs["tool_calls"] = copies
    single = kwargs.get("function_call")
    if isinstance(single, dict):  # has no id: Gemini repeats its last call here
        kwargs["function_call"] = _revise_by_name(single, calls)
    return content, kwargs


def _places(message: AIMessage) -> list[list[Block]]:
    content = message.content if isinstance(message.content, list) else []
    raw = message.additional_kwargs.get("tool_calls")
    return [
        [block for block in content if isinstance(block, dict) and _is_copy(block)],
        [call for call in raw if isinstance(call, dict)] if isinstance(raw, list) else [],
    ]


def _is_copy(block: Block) -> bool:
    return block.get("type") in _COPY_TYPES or isinstance(block.get("function"), dict)


def _id_key(block: Block) -> str:
    return "call_id" if "call_id" in block or block.get("type") == "function_call" else "id"


def _same(one: Block, other: Block) -> bool:
    return id_in(one) == id_in(other) and name_in(one) == name_in(other)


def _take(unused: list[ReadCall], block: Block) -> ReadCall | None:
    """Remove the call that ``block`` repeats. Without an id on both sides the name decides."""
    found_id = id_in(block)
    same_id = (call for call in unused if found_id and call.given_id == found_id)
    same_name = (
        call
        for call in unused
        if not (found_id and call.given_id) and call.call["name"] == name_in(block)
    )
    nameless = (call for call in unused if not (found_id and call.given_id))
    match = next(same_id, None) or next(same_name, None) or next(nameless, None)
    if match is not None:
        unused.remove(match)
    return match


def _revise(blocks: list[Any], calls: Sequence[ReadCall]) -> list[Any]:
    unused = list(calls)
    return [
        _revise_copy(block, _take(unused, block))
        if isinstance(block, dict) and _is_copy(block)
        else block
        for block in blocks
    ]


def _revise_copy(block: Block, read: ReadCall | None) -> Block:
    if read is None:
        return block
    if read.is_altered:
        block = rewrite_copy(block, read.call)
        if block.get("type") == "invalid_tool_call":
            block = {k: v for k, v in block.items() if k != "error"} | {"type": "tool_call"}
    if id_in(block) == read.call["id"]:
        return block
    return {**block, _id_key(block): read.call["id"]}


def _revise_by_name(single: Block, calls: Sequence[ReadCall]) -> Block:
    altered = [read for read in calls if read.is_altered]
    if len(calls) == 1 and altered:
        return rewrite_copy(single, calls[0].call)
    named = (read for read in reversed(calls) if read.call["name"] == single.get("name"))
    read = next(named, None)
    return rewrite_copy(single, read.call) if read and read.is_altered else single


def _rename_keys(kwargs: dict[str, Any], calls: Sequence[ReadCall]) -> dict[str, Any]:
    """Rename call ids that are keys, such as those of Gemini's signatures."""
    renamed: dict[str, str] = {}
    for read in calls:
        if read.given_id:
            renamed.setdefault(read.given_id, read.call["id"] or "")
    return {
        key: {renamed.get(k, k): v for k, v in value.items()} if isinstance(value, dict) else value
        for key, value in kwargs.items()
    }
