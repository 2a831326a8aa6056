"""Replace a tool call in every place of a model message that repeats it.

Providers keep copies of a call beside ``tool_calls``: content blocks (``tool_use`` of Anthropic,
``function_call`` of OpenAI's Responses API, LangChain's own ``tool_call``) and
``additional_kwargs`` (OpenAI's Chat Completions, Gemini). A copy left stale would be sent back to
the provider and show the model arguments that never ran. Everything else in the message, thinking
blocks and signatures above all, stays as it is.
"""

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

_ID_KEYS = ("id", "call_id", "tool_call_id")
_JSON_KEYS = ("arguments", "partial_json")
_OBJECT_KEYS = ("args", "input")


def replace_tool_calls(message: AIMessage, edited: Mapping[str, ToolCall]) -> AIMessage:
    """Return a copy of ``message``, same id, with the ``edited`` calls in place, by call id."""
    if not edited:
        return message
    content = message.content
    if isinstance(content, list):
        content = [_edit(block, edited) for block in content]
    return message.model_copy(
        update={
            "content": content,
            "tool_calls": [edited.get(call["id"] or "", call) for call in message.tool_calls],
            "additional_kwargs": _edit_kwargs(message, edited),
        }
    )


def _edit_kwargs(message: AIMessage, edited: Mapping[str, ToolCall]) -> dict[str, Any]:
    kwargs = dict(message.additional_kwargs)
    if isinstance(kwargs.get("tool_calls"), list):
        kwargs["tool_calls"] = [_edit(call, edited) for call in kwargs["tool_calls"]]
    single = kwargs.get("function_call")
    if isinstance(single, dict):
        call_id = _id_of_repeated_call(message, single)
        if call_id in edited:
            kwargs["function_call"] = rewrite_copy(single, edited[call_id])
    return kwargs


def _id_of_repeated_call(message: AIMessage, single: dict[str, Any]) -> str:
    """Find the call that ``single`` repeats. It has no id, and of several it is the last."""
    same_name = [call for call in message.tool_calls if call["name"] == single.get("name")]
    try:
        args = json.loads(single.get("arguments", ""))
    except (TypeError, ValueError, RecursionError):
        args = None
    same = [call for call in same_name if call["args"] == args]
    found = same or (same_name if len(same_name) == 1 else [])
    return (found[-1]["id"] or "") if found else ""


def _edit(block: Any, edited: Mapping[str, ToolCall]) -> Any:
    """Rewrite a copy of an edited call, and leave anything else untouched."""
    if not isinstance(block, dict):
        return block
    ids = [block[key] for key in _ID_KEYS if isinstance(block.get(key), str)]
    call = next((edited[call_id] for call_id in ids if call_id in edited), None)
    return block if call is None else rewrite_copy(block, call)


def rewrite_copy(block: dict[str, Any], call: ToolCall) -> dict[str, Any]:
    """Return a copy of a call that says what ``call`` says, in the form that it has."""
    rewritten = dict(block)
    if isinstance(block.get("function"), dict):
        rewritten["function"] = rewrite_copy(block["function"], call)
    if "name" in block:
        rewritten["name"] = call["name"]
    for key in _JSON_KEYS:
        if isinstance(block.get(key), str):
            rewritten[key] = json.dumps(call["args"], ensure_ascii=False)
        elif key in block:
            rewritten[key] = call["args"]
    for key in _OBJECT_KEYS:
        if key in block:
            rewritten[key] = call["args"]
    return rewritten
