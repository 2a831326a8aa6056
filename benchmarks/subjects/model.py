"""The chat model of every subject: one tool round a message, no thinking of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import CallbackManagerForLLMRun

LATENCY = "BENCH_LATENCY_SECONDS"
WORDS = "BENCH_ANSWER"


class OneRoundModel(BaseChatModel):
    """Calls one tool for a message of the user, then answers.

    A message that starts with ``mail`` gets a call that needs approval, one that starts with
    ``hello`` an answer at once.
    """

    latency_seconds: float = 0.0
    answer: str = "It is sunny in Jakarta, 31 degrees."

    pause: Callable[[float], object] = time.sleep
    """Waits for so many seconds, in the subject's way of waiting for a model."""

    @classmethod
    def from_environment(cls) -> OneRoundModel:
        """Make the model as the benchmark set it."""
        model = cls(latency_seconds=float(os.environ.get(LATENCY, "0")))
        model.answer = os.environ.get(WORDS) or model.answer
        return model

    @property
    @override
    def _llm_type(self) -> str:
        return "one-round"

    @override
    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.latency_seconds:
            self.pause(self.latency_seconds)
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages[-1]))])

    def _reply(self, last: BaseMessage) -> AIMessage:
        if not isinstance(last, HumanMessage) or last.text.startswith("hello"):
            return AIMessage(self.answer)
        name, args = "get_weather", {"location": "Jakarta"}
        if last.text.startswith("mail"):
            name, args = "send_email", {"to": "a@example.com", "subject": "hi", "body": "hello"}
        call = {"name": name, "args": args, "id": uuid4().hex, "type": "tool_call"}
        return AIMessage("", tool_calls=[call])
