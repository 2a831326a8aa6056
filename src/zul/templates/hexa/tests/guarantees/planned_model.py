"""A chat model whose every reply follows from the conversation alone.

It keeps nothing, so it says the same in each worker and after each restart. The user's message is
the plan: what to call in each round, as JSON. When the rounds are over the model counts what it
was told about its calls.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from typing_extensions import override

from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE

Round = Sequence[tuple[str, dict[str, Any]]]

GREETING = "Hello!"


def plan(*rounds: Round) -> str:
    """The message that makes the model call these tools, round by round."""
    return json.dumps([[list(call) for call in each] for each in rounds])


def reply_to(messages: Sequence[BaseMessage]) -> AIMessage:
    start = max(i for i, message in enumerate(messages) if isinstance(message, HumanMessage))
    rounds = _rounds_in(messages[start].text)
    since = messages[start + 1 :]
    taken = sum(isinstance(message, AIMessage) for message in since)
    if taken < len(rounds):
        calls = [
            ToolCall(name=name, args=args, id=f"call_{len(messages)}_{place}", type="tool_call")
            for place, (name, args) in enumerate(rounds[taken])
        ]
        return AIMessage(content="", tool_calls=calls)
    return AIMessage(summary(since) if rounds else GREETING)


def summary(messages: Sequence[BaseMessage]) -> str:
    """What the model says at the end: how many results of which kind it has seen."""
    kinds = Counter(_kind(m) for m in messages if isinstance(m, ToolMessage))
    return json.dumps(kinds, sort_keys=True)


def _kind(result: ToolMessage) -> str:
    if result.text == OUTCOME_UNKNOWN_MESSAGE:
        return "unknown"
    return str(result.status)


def _rounds_in(text: str) -> list[list[tuple[str, dict[str, Any]]]]:
    try:
        rounds = json.loads(text)
    except ValueError:
        return []
    return rounds if isinstance(rounds, list) else []


class PlannedChatModel(BaseChatModel):
    @property
    @override
    def _llm_type(self) -> str:
        return "planned"

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind()

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=reply_to(messages))])
