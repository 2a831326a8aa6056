"""OpenAI's protocol as its many servers really speak it."""

import json
from itertools import count
from typing import Any

from langchain_core.messages import AIMessage, BaseMessageChunk, InvalidToolCall
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import BaseModel
from typing_extensions import override

from src.application.AI.agents.tool_calls import is_json_object

_NOT_AN_OBJECT = "The arguments are not a JSON object."
_spare_indexes = count(1_000)


class TolerantChatOpenAI(ChatOpenAI):
    """Accept tool calls whose arguments are missing, empty or no JSON object.

    Missing and empty arguments mean none. Anything else that is no object makes an invalid call,
    which the agent reports to the model, where the base class would raise or run it without
    arguments.
    """

    @override
    def _create_chat_result(
        self, response: dict[str, Any] | BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        plain = _plain(response)
        messages = [choice.get("message") or {} for choice in plain.get("choices") or []]
        if not any(_normalize_calls(message) for message in messages):
            return super()._create_chat_result(response, generation_info)
        invalid = [_set_invalid_calls_aside(message) for message in messages]
        result = super()._create_chat_result(plain, generation_info)
        for generation, calls in zip(result.generations, invalid, strict=True):
            if isinstance(generation.message, AIMessage):
                generation.message.invalid_tool_calls.extend(calls)
        return result

    @override
    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type[BaseMessageChunk],
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        for choice in chunk.get("choices") or []:
            for call in (choice.get("delta") or {}).get("tool_calls") or []:
                # Servers that leave the index out send a whole call at once. Without an index
                # the base class drops it.
                if call.get("index") is None:
                    call["index"] = next(_spare_indexes)
                function = call["function"] = call.get("function") or {}
                if not isinstance(function.get("arguments"), str | None):
                    function["arguments"] = json.dumps(function["arguments"])
        return super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )


def _plain(response: object) -> dict[str, Any]:
    if isinstance(response, BaseModel):
        return response.model_dump(
            exclude={"choices": {"__all__": {"message": {"parsed"}}}}, warnings=False
        )
    return response if isinstance(response, dict) else {}


def _normalize_calls(message: dict[str, Any]) -> bool:
    """Write arguments as JSON text, and tell whether the base class would read them otherwise."""
    changed = False
    for call in message.get("tool_calls") or []:
        function = call["function"] = call.get("function") or {}
        arguments = function.get("arguments")
        function.setdefault("name", None)
        if arguments is None or arguments == "":
            function["arguments"] = "{}"
        elif not isinstance(arguments, str):
            function["arguments"] = json.dumps(arguments)
        changed = changed or arguments is None or not is_json_object(arguments)
    return changed


def _set_invalid_calls_aside(message: dict[str, Any]) -> list[InvalidToolCall]:
    calls = message.get("tool_calls") or []
    invalid = [call for call in calls if not is_json_object(call["function"]["arguments"])]
    message["tool_calls"] = [call for call in calls if call not in invalid]
    return [
        invalid_tool_call(
            name=call["function"]["name"],
            args=str(call["function"]["arguments"]),
            id=call.get("id"),
            error=_NOT_AN_OBJECT,
        )
        for call in invalid
    ]
