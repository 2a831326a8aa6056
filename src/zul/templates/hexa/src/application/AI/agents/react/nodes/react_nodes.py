import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage
from langchain_core.runnables import Runnable
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END
from langgraph.types import Send

from src.application.AI.agents.history import trimmed
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.replies import (
    EMPTY_REPLY_MESSAGE,
    MALFORMED_REPLY_MESSAGE,
    MAX_MALFORMED_REPLIES,
    Reply,
    malformed_in_a_row,
    well_formed,
)
from src.application.AI.agents.tool_calls import (
    failure_in,
    has_raised,
    trailing_results,
    unanswered_tool_calls,
)
from src.application.AI.agents.tool_node import tool_tasks
from src.application.errors import ModelCallError, ServiceError
from src.domain.entities.agents.react.react import AgentState

logger = logging.getLogger(__name__)

STEPS_PER_TOOL_ROUND = 2
"""A tool round of this graph: ``tool_node``, then ``llm_call`` again."""

STEP_LIMIT_MESSAGE = "Maaf, saya butuh lebih banyak langkah untuk menyelesaikan permintaan ini."

ChatModel = Runnable[LanguageModelInput, AIMessage]

FallbackAnswer = Callable[[Sequence[AnyMessage]], str | None]
"""Takes the conversation and finds an answer in it for a model that gives none."""


class LLMCall(Protocol):
    """The node ``llm_call``."""

    def __call__(self, state: AgentState) -> dict[str, Any]:
        """Return the model's reply as an update of the messages."""
        ...


def make_llm_call(
    model_with_tools: ChatModel,
    system_prompt: str,
    steps_per_tool_round: int = STEPS_PER_TOOL_ROUND,
    *,
    tool_names: Iterable[str] = (),
    limits: Limits = DEFAULT_LIMITS,
    fallback_answer: FallbackAnswer | None = None,
) -> LLMCall:
    """Make the node ``llm_call``.

    Args:
        model_with_tools: the chat model with its tools bound.
        system_prompt: put in front of the history at every call, never stored.
        steps_per_tool_round: graph steps from this node to itself when tools are called. With no
            more steps left than that, a reply that asks for tools is replaced by
            ``STEP_LIMIT_MESSAGE``, so the history keeps no call that nobody can answer.
        tool_names: what can be called.
        limits: what of a reply becomes part of the conversation, and how much of the
            conversation the model is sent.
        fallback_answer: finds the answer when the model gives none; without one the model is
            asked once more, and then ``EMPTY_REPLY_MESSAGE`` is the answer.

    Raises:
        ToolFailedError: (the node) a tool of this turn raised; its result is already stored.
        ModelCallError: (the node) the model gave no reply.
    """
    instructions = SystemMessage(system_prompt)
    names = frozenset(tool_names)

    def ask(messages: list[AnyMessage]) -> Reply:
        sent = [instructions, *trimmed(messages, instructions, limits)]
        reply = _ask(model_with_tools, sent)
        return well_formed(reply, messages, limits=limits, tool_names=names)

    def llm_call(state: AgentState) -> dict[str, Any]:
        messages = state["messages"]
        _stop_after_failed_tool(messages)
        reply = ask(messages)
        if reply.is_empty:
            reply = _instead_of_nothing(reply, messages, ask, fallback_answer)
        if reply.message.tool_calls and state["remaining_steps"] <= steps_per_tool_round:
            reply = reply.replaced_by(STEP_LIMIT_MESSAGE)
        if reply.is_malformed and malformed_in_a_row(messages) + 1 >= MAX_MALFORMED_REPLIES:
            reply = reply.replaced_by(MALFORMED_REPLY_MESSAGE)
        return {"messages": reply.update}

    return llm_call


def _instead_of_nothing(
    reply: Reply,
    messages: list[AnyMessage],
    ask: Callable[[list[AnyMessage]], Reply],
    fallback_answer: FallbackAnswer | None,
) -> Reply:
    answer = fallback_answer(messages) if fallback_answer else None
    if answer:
        return reply.replaced_by(answer)
    try:
        again = ask(messages)
    except ModelCallError:  # it did reply before, with nothing: that is what the user is told
        logger.warning("The chat model gave an empty reply and then none", exc_info=True)
        return reply.replaced_by(EMPTY_REPLY_MESSAGE)
    return again.replaced_by(EMPTY_REPLY_MESSAGE) if again.is_empty else again


def _stop_after_failed_tool(messages: list[AnyMessage]) -> None:
    failed = next((m for m in trailing_results(messages) if has_raised(m)), None)
    if failed is not None:
        raise failure_in(failed)


def _ask(model: ChatModel, messages: list[AnyMessage]) -> BaseMessage:
    try:
        return model.invoke(messages)
    except (GraphBubbleUp, ServiceError):
        raise
    except Exception as error:
        raise ModelCallError from error


def should_continue(state: AgentState) -> str:
    """Name the step after ``llm_call``: run waiting calls, try again after broken ones, or end."""
    if unanswered_tool_calls(state["messages"]):
        return "tool_node"
    return "llm_call" if trailing_results(state["messages"]) else END


def route_to_tools(state: AgentState) -> list[Send] | str:
    """Send each waiting call to a ``tool_node`` task of its own, or name the next step."""
    step = should_continue(state)
    return tool_tasks(state["messages"]) if step == "tool_node" else step
