"""The generated service with a model whose every token is the time at which it was said."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from src.interface.http.controllers import chat_controller
from src.interface.http.main import app
from typing_extensions import override

from benchmarks.subjects.model import OneRoundModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.callbacks import CallbackManagerForLLMRun
    from langchain_core.messages import BaseMessage

TICKS = "BENCH_TICKS"
TICK_SECONDS = "BENCH_TICK_SECONDS"


class TickingModel(OneRoundModel):
    """Says the time of the machine's one clock, again and again."""

    ticks: int = int(os.environ.get(TICKS, "1"))
    tick_seconds: float = float(os.environ.get(TICK_SECONDS, "0"))

    @override
    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for tick in range(self.ticks):
            if tick:
                time.sleep(self.tick_seconds)
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{time.monotonic_ns()} "))

    @override
    def _reply(self, last: BaseMessage) -> AIMessage:
        raise NotImplementedError


vars(chat_controller)["get_llm_model"] = TickingModel

__all__ = ["app"]
