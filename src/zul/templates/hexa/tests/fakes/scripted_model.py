"""A chat model that says what a test tells it to say."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCallChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr
from typing_extensions import override

from src.infrastructure.AI.llm.tool_arguments import spoil_guessed_calls

Messages = list[BaseMessage]
Reply = AIMessage | str | Exception | Callable[[Messages], AIMessage | str]


class ScriptOverError(AssertionError):
    """The model was asked more often than the script has replies."""


class ScriptedChatModel(BaseChatModel):
    """Give the replies of ``script`` in order, one per call, from any number of threads.

    A reply is a message, a text, an exception to raise, or a function of the input messages.
    """

    script: list[Any]
    """Of ``Reply``; replies may be appended while the test runs."""

    inputs: list[Messages] = Field(default_factory=list)
    """The messages of every call so far."""

    bound_tools: list[dict[str, Any]] = Field(default_factory=list)
    """The tools of the latest ``bind_tools``, in OpenAI's form."""

    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def bound_tool_names(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.bound_tools]

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        self.bound_tools[:] = [convert_to_openai_tool(tool) for tool in tools]
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=list(self.bound_tools), **kwargs)

    @override
    def _generate(
        self,
        messages: Messages,
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next_reply(messages))])

    @override
    def _stream(
        self,
        messages: Messages,
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for message in _chunks_of(self._next_reply(messages)):
            chunk = ChatGenerationChunk(message=message)
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _next_reply(self, messages: Messages) -> AIMessage:
        with self._lock:
            turn = len(self.inputs)
            self.inputs.append(list(messages))
        if turn >= len(self.script):
            raise ScriptOverError(_script_over_text(len(self.script), messages))
        reply = self.script[turn]
        if isinstance(reply, Exception):
            raise reply
        if callable(reply):
            reply = reply(list(messages))
        # A copy, because LangChain writes ids and metadata into what it gets.
        return AIMessage(content=reply) if isinstance(reply, str) else reply.model_copy(deep=True)


def _script_over_text(scripted: int, messages: Messages) -> str:
    last = messages[-1] if messages else None
    said = f"{last.type}: {last.content!r}" if last is not None else "nothing"
    return f"{scripted} replies were scripted and all were used; the last input was {said}"


def _chunks_of(reply: AIMessage) -> Iterator[AIMessageChunk]:
    content = reply.content
    pieces: list[Any] = (
        re.findall(r"\S*\s*", content)[:-1] if isinstance(content, str) else [content]
    )
    for piece in pieces:
        yield AIMessageChunk(content=piece, id=reply.id)
    call_chunks = list(_all_call_chunks(reply))
    yield from call_chunks
    # The real models behind get_llm_model end a reply like this too.
    spoiler = spoil_guessed_calls(call_chunks)
    if spoiler is not None:
        yield spoiler
    yield AIMessageChunk(
        content="" if isinstance(content, str) else [],
        id=reply.id,
        additional_kwargs=reply.additional_kwargs,
        response_metadata=reply.response_metadata,
        usage_metadata=reply.usage_metadata,
        chunk_position="last",
    )


def _all_call_chunks(reply: AIMessage) -> Iterator[AIMessageChunk]:
    for index, call in enumerate(reply.tool_calls):
        yield from _call_chunks(index, call["name"], json.dumps(call["args"]), call["id"], reply.id)
    for index, bad in enumerate(reply.invalid_tool_calls, start=len(reply.tool_calls)):
        yield from _call_chunks(index, bad["name"], bad["args"] or "", bad["id"], reply.id)


def _call_chunks(
    index: int, name: str | None, arguments: str, call_id: str | None, message_id: str | None
) -> Iterator[AIMessageChunk]:
    """Yield the call as providers do: the name first, the arguments in two pieces."""
    half = len(arguments) // 2
    pieces = [(name, "", call_id), (None, arguments[:half], None), (None, arguments[half:], None)]
    for piece_name, piece, piece_id in pieces:
        chunk = ToolCallChunk(
            name=piece_name, args=piece, id=piece_id, index=index, type="tool_call_chunk"
        )
        yield AIMessageChunk(content="", id=message_id, tool_call_chunks=[chunk])
