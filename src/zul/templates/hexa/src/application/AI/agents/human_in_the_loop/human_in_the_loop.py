from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from langgraph.types import Checkpointer

from src.application.AI.agents.approval import ApprovalPolicy, ToolsRequiringApproval
from src.application.AI.agents.binding import bind_tools
from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import (
    check_allowed_decisions,
    make_human_review,
    should_continue,
)
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.react.nodes.react_nodes import make_llm_call
from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.tool_node import TOOL_NODE, make_tool_node
from src.application.ports.action_ledger import ActionLedger
from src.domain.entities.agents.react.react import AgentState
from src.domain.templates.prompt.human_in_the_loop.human_in_the_loop_prompt_templates import (
    HUMAN_IN_THE_LOOP_SYSTEM_PROMPT,
)

STEPS_PER_TOOL_ROUND = 3
"""A tool round of this graph: ``human_review``, ``tool_node``, then ``llm_call`` again."""


def build_human_in_the_loop_agent(
    llm: BaseChatModel,
    tools: Sequence[BaseTool],
    tools_requiring_approval: ToolsRequiringApproval,
    checkpointer: Checkpointer,
    system_prompt: str = HUMAN_IN_THE_LOOP_SYSTEM_PROMPT,
    *,
    ledger: ActionLedger | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Agent:
    """Build an agent that pauses for a person before it runs certain tools.

    Args:
        llm: a chat model that supports tool calling.
        tools: everything the agent may call.
        tools_requiring_approval: names of tools that need approval, or a mapping from names to a
            condition over the arguments (``None``: always).
        checkpointer: where conversations and pauses are stored; ``None`` only for a graph that
            runs inside another one and shares its store.
        system_prompt: what the agent is told before every model call.
        ledger: makes approved actions run at most once; in memory by default.
        limits: how much of what models and tools give becomes part of a conversation.

    Raises:
        ValueError: a name is no tool, a condition is no function, two tools share a name, one
            has a name that providers refuse, or ``ALLOWED_DECISIONS`` is misspelt or empty.
    """
    policy = ApprovalPolicy(tools_requiring_approval)
    policy.check_against(tools)
    check_allowed_decisions()
    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    llm_call = make_llm_call(
        bind_tools(llm, tools),
        system_prompt,
        STEPS_PER_TOOL_ROUND,
        tool_names=[tool.name for tool in tools],
        limits=limits,
    )
    tool_node = make_tool_node(tools, policy, ledger, limits=limits)
    graph.add_node("llm_call", llm_call)
    graph.add_node("human_review", make_human_review(policy))
    graph.add_node(TOOL_NODE, tool_node, input_schema=AgentState)
    graph.add_edge(START, "llm_call")
    graph.add_conditional_edges("llm_call", should_continue, ["human_review", "llm_call", END])
    graph.add_edge(TOOL_NODE, "llm_call")
    return graph.compile(checkpointer=checkpointer)
