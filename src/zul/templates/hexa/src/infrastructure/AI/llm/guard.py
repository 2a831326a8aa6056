"""The chat model that agents get: one provider's model, or several, behind fixed limits."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.tools import BaseTool
from pydantic import Field
from typing_extensions import override

from src.infrastructure.AI.llm import background
from src.infrastructure.AI.llm.attempts import Ask, CallPolicy, ask_in_order, shared_pacer
from src.infrastructure.AI.llm.tool_arguments import spoil_guessed_calls

T = TypeVar("T")

_TOOL_KEYWORDS = frozenset({"parallel_tool_calls", "strict", "tool_choice", "tool_config", "tools"})


class GuardedChatModel(BaseChatModel):
    """Ask ``inner`` and pass its reply on unchanged, but never wait longer than allowed.

    Every failure becomes one of the application's errors. LangChain's callbacks and its cache see
    this model only: the inner models are called below them, so nothing is counted twice.
    """

    inner: BaseChatModel = Field(repr=False)

    total_timeout_seconds: float
    """The longest wait for a whole reply: retries, fallbacks and the last chunk included."""

    max_retries: int = 0
    """How often one model is asked again after 429, 5xx or a lost connection."""

    fallbacks: tuple[BaseChatModel, ...] = Field(default=(), repr=False)
    """Asked in this order when ``inner`` fails."""

    requests_per_second: float | None = None
    """The limit that all guarded models of this process keep together."""

    @override
    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self.disable_streaming = self.inner.disable_streaming
        self.output_version = self.inner.output_version
        self.profile = self.inner.profile

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return background.run(self._reply(messages, stop, kwargs))

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await asyncio.wrap_future(background.submit(self._reply(messages, stop, kwargs)))

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        asks = self._asks(_stream_of, messages, stop, kwargs)
        for chunk in background.iterate(ask_in_order(asks, self._policy)):
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Tell every model which tools it may call, each in its provider's own format."""
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        first, *others = (_bound_keywords(m.bind_tools(tools, **kwargs)) for m in self._models)
        if others:
            first["fallback_keywords"] = others
        return self.bind(**first)

    async def _reply(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]
    ) -> ChatResult:
        replies = ask_in_order(self._asks(_result_of, messages, stop, kwargs), self._policy)
        async with aclosing(replies):
            return await anext(replies)

    def _asks(
        self,
        ask: Callable[..., AsyncGenerator[T, None]],
        messages: list[BaseMessage],
        stop: list[str] | None,
        kwargs: dict[str, Any],
    ) -> list[Ask[T]]:
        others = kwargs.pop("fallback_keywords", [{}] * len(self.fallbacks))
        shared = {name: kwargs[name] for name in kwargs.keys() - _TOOL_KEYWORDS}
        keywords = [kwargs, *({**shared, **own} for own in others)]
        return [
            partial(ask, model, messages, stop, own)
            for model, own in zip(self._models, keywords, strict=True)
        ]

    @property
    def _models(self) -> tuple[BaseChatModel, ...]:
        return (self.inner, *self.fallbacks)

    @property
    def _policy(self) -> CallPolicy:
        rate = self.requests_per_second
        return CallPolicy(
            total_seconds=self.total_timeout_seconds,
            max_retries=self.max_retries,
            pacer=shared_pacer(rate) if rate else None,
        )

    @property
    @override
    def _llm_type(self) -> str:
        return self.inner._llm_type

    @property
    @override
    def _identifying_params(self) -> Mapping[str, Any]:
        return self.inner._identifying_params

    @override
    def _get_invocation_params(
        self, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        return self.inner._get_invocation_params(stop=stop, **kwargs)

    @override
    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        return self.inner._get_ls_params(stop=stop, **kwargs)

    @override
    def _combine_llm_outputs(self, llm_outputs: list[dict[str, Any] | None]) -> dict[str, Any]:
        return self.inner._combine_llm_outputs(llm_outputs)


async def _result_of(
    model: BaseChatModel,
    messages: list[BaseMessage],
    stop: list[str] | None,
    keywords: dict[str, Any],
) -> AsyncGenerator[ChatResult, None]:
    # The public methods would run the callbacks and the cache a second time.
    result = await model._agenerate(messages, stop=stop, **keywords)
    if result.generations:
        yield result


async def _stream_of(
    model: BaseChatModel,
    messages: list[BaseMessage],
    stop: list[str] | None,
    keywords: dict[str, Any],
) -> AsyncGenerator[ChatGenerationChunk, None]:
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


def _bound_keywords(bound: Runnable[LanguageModelInput, AIMessage]) -> dict[str, Any]:
    if not isinstance(bound, RunnableBinding):
        msg = f"bind_tools returned {type(bound).__name__}, which cannot be guarded"
        raise TypeError(msg)
    return dict(bound.kwargs)
