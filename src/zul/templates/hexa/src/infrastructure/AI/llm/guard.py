"""The chat model that agents get: one provider's model, or several, behind fixed limits."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.tools import BaseTool
from pydantic import Field
from typing_extensions import override

from src.infrastructure.AI.llm import background
from src.infrastructure.AI.llm.attempts import Ask, CallPolicy, ask_in_order, shared_pacer
from src.infrastructure.AI.llm.replies import streamed_reply, whole_reply

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
        asks = self._asks(streamed_reply, messages, stop, kwargs)
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
        replies = ask_in_order(self._asks(whole_reply, messages, stop, kwargs), self._policy)
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


def _bound_keywords(bound: Runnable[LanguageModelInput, AIMessage]) -> dict[str, Any]:
    if not isinstance(bound, RunnableBinding):
        msg = f"bind_tools returned {type(bound).__name__}, which cannot be guarded"
        raise TypeError(msg)
    return dict(bound.kwargs)
