"""Asking a model below its public methods, which would run callbacks and cache a second time."""

from collections.abc import AsyncGenerator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from src.infrastructure.AI.llm.tool_arguments import spoil_guessed_calls


async def whole_reply(
    model: BaseChatModel,
    messages: list[BaseMessage],
    stop: list[str] | None,
    keywords: dict[str, Any],
) -> AsyncGenerator[ChatResult, None]:
    """Ask ``model`` once and yield its reply; nothing when there is none in it."""
    result = await model._agenerate(messages, stop=stop, **keywords)
    if result.generations:
        yield result


async def streamed_reply(
    model: BaseChatModel,
    messages: list[BaseMessage],
    stop: list[str] | None,
    keywords: dict[str, Any],
) -> AsyncGenerator[ChatGenerationChunk, None]:
    """Ask ``model`` once and yield the chunks of its reply.

    Calls with broken arguments end up as invalid ones, see ``tool_arguments``.
    """
    if not _can_stream(model):
        yield _as_chunk(await model._agenerate(messages, stop=stop, **keywords))
        return
    received: list[AIMessageChunk] = []
    async for chunk in model._astream(messages, stop=stop, **keywords):
        if isinstance(chunk.message, AIMessageChunk):
            received.append(chunk.message)
        yield chunk
    correction = spoil_guessed_calls(received)
    if correction is not None:
        yield ChatGenerationChunk(message=correction)


def _can_stream(model: BaseChatModel) -> bool:
    kind = type(model)
    return kind._stream is not BaseChatModel._stream or kind._astream is not BaseChatModel._astream


def _as_chunk(result: ChatResult) -> ChatGenerationChunk:
    generation = result.generations[0]
    fields = generation.message.model_dump(exclude={"type"})
    return ChatGenerationChunk(
        message=AIMessageChunk(**fields),
        generation_info={**(result.llm_output or {}), **(generation.generation_info or {})},
    )
