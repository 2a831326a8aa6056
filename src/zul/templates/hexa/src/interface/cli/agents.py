"""Which agents can be talked to: the very objects that serve HTTP clients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.tools import BaseTool

from src.application.AI.agents.react.react import Agent
from src.application.ports.conversation_stores import ConversationStores
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """An agent, where its conversations are locked and recorded, and what it may ask to run."""

    build_agent: Callable[[], Agent]
    get_stores: Callable[[], ConversationStores]
    list_tools: Callable[[], Sequence[BaseTool]]


DEFAULT_AGENT = "hitl"

AGENTS = {
    "chat": AgentChoice(
        build_agent=chat_controller.get_react_agent,
        get_stores=chat_controller.get_chat_stores,
        list_tools=lambda: chat_controller.TOOLS,
    ),
    "hitl": AgentChoice(
        build_agent=hitl_controller.get_human_in_the_loop_agent,
        get_stores=hitl_controller.get_hitl_stores,
        list_tools=lambda: hitl_controller.TOOLS,
    ),
    "subagents": AgentChoice(
        build_agent=subagents_controller.get_supervisor_agent,
        get_stores=subagents_controller.get_subagents_stores,
        list_tools=lambda: [t for spec in subagents_controller.SUBAGENTS for t in spec.tools],
    ),
}
