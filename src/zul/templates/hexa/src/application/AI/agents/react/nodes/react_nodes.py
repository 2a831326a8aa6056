from typing import Any, Protocol

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AnyMessage, SystemMessage
from langchain_core.runnables import Runnable
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END
from langgraph.types import Send

from src.application.AI.agents.tool_calls import (
    has_raised,
    trailing_results,
    unanswered_tool_calls,
)
from src.application.AI.agents.tool_node import tool_tasks
from src.application.errors import ModelCallError, ServiceError, ToolFailedError
from src.domain.entities.agents.react.react import AgentState

STEPS_PER_TOOL_ROUND = 2
"""A tool round of this graph: ``tool_node``, then ``llm_call`` again."""

STEP_LIMIT_MESSAGE = "Maaf, saya butuh lebih banyak langkah untuk menyelesaikan permintaan ini."

NO_ANSWER_MESSAGE = "Maaf, saya tidak punya jawaban untuk itu."
"""Stands for a reply without text and calls: providers refuse a history with an empty message."""

ChatModel = Runnable[LanguageModelInput, AIMessage]


class LLMCall(Protocol):
    """The node ``llm_call``."""

    def __call__(self, state: AgentState) -> dict[str, Any]:
        """Return the model's reply as an update of the messages."""
        ...


def make_llm_call(
    model_with_tools: ChatModel,
    system_prompt: str,
    steps_per_tool_round: int = STEPS_PER_TOOL_ROUND,
) -> LLMCall:
    """Make the node ``llm_call``.

    Args:
        model_with_tools: the chat model with its tools bound.
        system_prompt: put in front of the history at every call, never stored.
        steps_per_tool_round: graph steps from this node to itself when tools are called. With no
            more steps left than that, a reply that asks for tools is replaced by
            ``STEP_LIMIT_MESSAGE``, so the history keeps no call that nobody can answer.

    Raises:
        ToolFailedError: (the node) a tool of this turn raised; its result is already stored.
        ModelCallError: (the node) the model gave no reply.
    """
    instructions = SystemMessage(system_prompt)

    def llm_call(state: AgentState) -> dict[str, Any]:
        _stop_after_failed_tool(state["messages"])
        reply = _ask(model_with_tools, [instructions, *state["messages"]])
        if reply.tool_calls and state["remaining_steps"] <= steps_per_tool_round:
            reply = AIMessage(STEP_LIMIT_MESSAGE, id=reply.id)
        elif not reply.tool_calls and not reply.text.strip():
            reply = reply.model_copy(update={"content": NO_ANSWER_MESSAGE})
        return {"messages": [reply]}

    return llm_call


def _stop_after_failed_tool(messages: list[AnyMessage]) -> None:
    failed = next((m for m in trailing_results(messages) if has_raised(m)), None)
    if failed is not None:
        raise ToolFailedError(failed.name or "")


def _ask(model: ChatModel, messages: list[AnyMessage]) -> AIMessage:
    try:
        return model.invoke(messages)
    except (GraphBubbleUp, ServiceError):
        raise
    except Exception as error:
        raise ModelCallError from error


def should_continue(state: AgentState) -> str:
    """Name the step after ``llm_call``: run tools while calls wait for results, else end."""
    return "tool_node" if unanswered_tool_calls(state["messages"]) else END


def route_to_tools(state: AgentState) -> list[Send] | str:
    """Send each waiting call to a ``tool_node`` task of its own, or end."""
    if should_continue(state) == END:
        return END
    return tool_tasks(state["messages"])
