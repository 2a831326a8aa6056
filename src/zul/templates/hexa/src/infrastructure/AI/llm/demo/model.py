"""The chat model behind `LLM_MODEL=demo`: answers from rules, offline, the same every time."""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall, ToolCallChunk, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field
from typing_extensions import override

from src.infrastructure.AI.llm.demo.answer import Request, answer
from src.infrastructure.AI.llm.demo.conversation import call_id, read_conversation, text_of
from src.infrastructure.AI.llm.demo.schema import read_tools

_CHARACTERS_PER_TOKEN = 4


class DemoChatModel(BaseChatModel):
    """Shows the product without a key: chooses tools, fills their arguments, reports results.

    It understands simple Indonesian and English requests for whatever tools are bound, and says
    so when it does not understand one. It knows nothing about the world. Delete this package
    when the project no longer needs it.
    """

    delay_seconds: float = Field(default=0.0, ge=0)
    """Pause between streamed words, to make streaming visible."""

    @property
    @override
    def _llm_type(self) -> str:
        return "demo"

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Let the model call `tools`.

        Args:
            tools: what the model may call.
            tool_choice: `any`, `none`, or the name of the tool it must call.
            **kwargs: passed on; `parallel_tool_calls=False` means one call at a time.
        """
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text, calls = _reply(messages, stop, kwargs)
        message = AIMessage(
            content=text,
            tool_calls=calls,
            usage_metadata=_usage(messages, text, calls),
            response_metadata=_metadata(calls),
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        text, calls = _reply(messages, stop, kwargs)
        last = AIMessageChunk(
            content="",
            usage_metadata=_usage(messages, text, calls),
            response_metadata=_metadata(calls),
            chunk_position="last",
        )
        words = [AIMessageChunk(content=word) for word in re.findall(r"\s*\S+|\s+", text)]
        parts = [
            AIMessageChunk(content="", tool_call_chunks=[part]) for part in _call_chunks(calls)
        ]
        for message in (*words, *parts, last):
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
            if self.delay_seconds and message is not last:
                time.sleep(self.delay_seconds)


def _reply(
    messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
) -> tuple[str, list[ToolCall]]:
    conversation = read_conversation(messages)
    request = Request(
        conversation,
        read_tools(options.get("tools")),
        _chosen_name(options.get("tool_choice")),
        in_parallel=options.get("parallel_tool_calls") is not False,
    )
    result = answer(request)
    calls = [
        ToolCall(
            name=call.name,
            args=call.args,
            id=call_id(conversation.digest, number),
            type="tool_call",
        )
        for number, call in enumerate(result.calls)
    ]
    return _stopped(result.text, stop), calls


def _chosen_name(tool_choice: object) -> str:
    """Return the tool choice as a word, whichever of the common forms it has."""
    if isinstance(tool_choice, dict):
        function = tool_choice.get("function")
        name = function.get("name") if isinstance(function, dict) else tool_choice.get("name")
        return str(name or "any")
    if isinstance(tool_choice, bool):
        return "any" if tool_choice else ""
    return str(tool_choice or "")


def _stopped(text: str, stop: list[str] | None) -> str:
    ends = [position for word in stop or () if word and (position := text.find(word)) >= 0]
    return text[: min(ends)] if ends else text


def _call_chunks(calls: Sequence[ToolCall]) -> Iterator[ToolCallChunk]:
    """Yield each call in two pieces, as providers do: its name first, then its arguments."""
    for index, call in enumerate(calls):
        yield tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)
        yield tool_call_chunk(
            name=None, args=json.dumps(call["args"], ensure_ascii=False), id=None, index=index
        )


def _usage(messages: Sequence[BaseMessage], text: str, calls: Sequence[ToolCall]) -> UsageMetadata:
    """Return a rough count of tokens."""
    read = sum(len(text_of(message)) for message in messages)
    written = len(text) + sum(len(json.dumps(call["args"])) + len(call["name"]) for call in calls)
    used, made = -(-read // _CHARACTERS_PER_TOKEN), -(-written // _CHARACTERS_PER_TOKEN)
    return UsageMetadata(input_tokens=used, output_tokens=made, total_tokens=used + made)


def _metadata(calls: Sequence[ToolCall]) -> dict[str, Any]:
    return {
        "model_name": "demo",
        "model_provider": "demo",
        "finish_reason": "tool_calls" if calls else "stop",
    }
