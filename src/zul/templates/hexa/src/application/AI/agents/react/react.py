from collections.abc import Sequence
from typing import Any, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Checkpointer

from src.application.AI.agents.binding import bind_tools
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.react.nodes.react_nodes import (
    FallbackAnswer,
    make_llm_call,
    route_to_tools,
)
from src.application.AI.agents.tool_node import TOOL_NODE, make_tool_node
from src.domain.entities.agents.react.react import AgentState
from src.domain.templates.prompt.react.react_prompt_templates import REACT_SYSTEM_PROMPT

Agent: TypeAlias = CompiledStateGraph[Any, None, Any, Any]


def build_react_agent(
    llm: BaseChatModel,
    tools: Sequence[BaseTool],
    system_prompt: str = REACT_SYSTEM_PROMPT,
    checkpointer: Checkpointer = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    fallback_answer: FallbackAnswer | None = None,
) -> Agent:
    """Build an agent that calls tools until it can answer: ``llm_call`` → ``tool_node`` → ….

    Args:
        llm: a chat model that supports tool calling.
        tools: what the agent may call; may be empty.
        system_prompt: what the agent is told before every model call.
        checkpointer: where conversations are stored; with one, each ``invoke`` needs a
            ``thread_id`` in its config.
        limits: how much of what models and tools give becomes part of a conversation.
        fallback_answer: finds the answer in the conversation when the model gives none.

    Raises:
        ValueError: two tools have the same name, or one has a name that providers refuse.
    """
    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    llm_call = make_llm_call(
        bind_tools(llm, tools),
        system_prompt,
        tool_names=[tool.name for tool in tools],
        limits=limits,
        fallback_answer=fallback_answer,
    )
    graph.add_node("llm_call", llm_call)
    graph.add_node(TOOL_NODE, make_tool_node(tools, limits=limits), input_schema=AgentState)
    graph.add_edge(START, "llm_call")
    graph.add_conditional_edges("llm_call", route_to_tools, [TOOL_NODE, "llm_call", END])
    graph.add_edge(TOOL_NODE, "llm_call")
    return graph.compile(checkpointer=checkpointer)
