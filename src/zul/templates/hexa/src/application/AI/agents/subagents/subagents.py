from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import Checkpointer

from src.application.AI.agents.approval import ToolsRequiringApproval
from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.react.react import Agent, build_react_agent
from src.application.AI.agents.tool_calls import trailing_results
from src.application.compute_queue import compute_queue
from src.application.errors import AgentDefinitionError
from src.application.ports.action_ledger import ActionLedger
from src.application.tool_time import time_limit
from src.domain.templates.prompt.subagents.subagents_prompt_templates import (
    SUPERVISOR_SYSTEM_PROMPT,
)

MAX_SUBAGENT_STEPS = 15
"""Graph steps of one task of a subagent, apart from the supervisor's own."""


@dataclass(frozen=True, slots=True)
class SubagentSpec:
    """A specialist that a supervisor can delegate to.

    Attributes:
        name: the name of the tool that the supervisor sees; unique among its subagents.
        description: tells the supervisor what to delegate here.
        system_prompt: what the subagent is told before every model call.
        tools: the subagent's own tools.
        llm: its own chat model; the supervisor's when ``None``.
        tools_requiring_approval: which of its tools pause for a person, as in the
            human-in-the-loop agent. The pause reaches whoever called the supervisor.
    """

    name: str
    description: str
    system_prompt: str
    tools: Sequence[BaseTool]
    llm: BaseChatModel | None = None
    tools_requiring_approval: ToolsRequiringApproval = ()


def build_subagent_tool(
    spec: SubagentSpec,
    default_llm: BaseChatModel,
    *,
    ledger: ActionLedger | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> BaseTool:
    """Turn a subagent into a tool that takes a ``query`` and returns the subagent's last text.

    Each call starts from an empty conversation. It has no time limit as a whole: the subagent's
    model calls and tools have theirs, and its steps are numbered.

    Raises:
        ValueError: the specification does not fit its tools.
    """
    agent = _build_agent(spec, spec.llm or default_llm, ledger, limits)

    # The parent runs this function from its start again after a pause inside the subagent, so
    # nothing but the subagent itself may have an effect here.
    def delegate(query: str) -> str:
        with compute_queue.computing():
            result = agent.invoke(
                {"messages": [HumanMessage(query)]},
                {"recursion_limit": MAX_SUBAGENT_STEPS},
            )
        answer: str = result["messages"][-1].text
        return answer

    subagent = StructuredTool.from_function(delegate, name=spec.name, description=spec.description)
    return time_limit(subagent, None)


def _build_agent(
    spec: SubagentSpec, llm: BaseChatModel, ledger: ActionLedger | None, limits: Limits
) -> Agent:
    if spec.tools_requiring_approval:
        # None: a pause is kept in the supervisor's store, apart for each call.
        return build_human_in_the_loop_agent(
            llm,
            spec.tools,
            spec.tools_requiring_approval,
            checkpointer=None,
            system_prompt=spec.system_prompt,
            ledger=ledger,
            limits=limits,
        )
    # False: a subagent that never pauses leaves nothing behind in the supervisor's store.
    return build_react_agent(llm, spec.tools, spec.system_prompt, checkpointer=False, limits=limits)


def build_supervisor_agent(
    llm: BaseChatModel,
    subagents: Sequence[SubagentSpec],
    system_prompt: str = SUPERVISOR_SYSTEM_PROMPT,
    checkpointer: Checkpointer = None,
    *,
    ledger: ActionLedger | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Agent:
    """Build a ReAct agent whose tools are subagents.

    Args:
        llm: the supervisor's chat model, and that of subagents without their own.
        subagents: who can be delegated to.
        system_prompt: what the supervisor is told before every model call.
        checkpointer: where the supervisor's conversations are stored.
        ledger: makes approved actions of subagents run at most once; in memory by default.
        limits: how much of what models and tools give becomes part of a conversation.

    Raises:
        ValueError: two subagents share a name, or a specification does not fit its tools.
    """
    counts = Counter(spec.name for spec in subagents)
    duplicates = sorted(name for name, count in counts.items() if count > 1)
    if duplicates:
        msg = f"Subagent names must be unique, duplicates: {duplicates}"
        raise AgentDefinitionError(msg)
    tools = [build_subagent_tool(spec, llm, ledger=ledger, limits=limits) for spec in subagents]
    return build_react_agent(
        llm,
        tools,
        system_prompt,
        checkpointer,
        limits=limits,
        fallback_answer=_answer_of_subagents,
    )


def _answer_of_subagents(messages: Sequence[AnyMessage]) -> str | None:
    """Return what the subagents just answered, for a supervisor that adds nothing to it."""
    answers = [result.text for result in trailing_results(messages) if result.status == "success"]
    return "\n\n".join(answers) or None
