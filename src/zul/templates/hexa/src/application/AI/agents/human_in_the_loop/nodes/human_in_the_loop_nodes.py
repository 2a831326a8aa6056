"""The pause for a person's decision, and what each decision does to the conversation."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END
from langgraph.types import Command, Send, interrupt

from src.application.actions import canonical_json
from src.application.AI.agents.approval import ApprovalPolicy, ToolsRequiringApproval
from src.application.AI.agents.edited_calls import replace_tool_calls
from src.application.AI.agents.limits import CEILING
from src.application.AI.agents.storable import clean_text, unstorable_part
from src.application.AI.agents.tool_calls import (
    is_tool_name,
    last_ai_message,
    rejected_result,
    trailing_results,
    unanswered_tool_calls,
)
from src.application.AI.agents.tool_node import NO_CONFIG, make_tool_node, tool_tasks
from src.application.errors import AgentDefinitionError
from src.domain.entities.agents.react.react import AgentState

__all__ = [
    "ALLOWED_DECISIONS",
    "APPROVE",
    "NO_DECISION",
    "REJECTED_BY_USER_MESSAGE",
    "build_review_request",
    "make_human_review",
    "make_tool_node",
    "should_continue",
    "unanswered_tool_calls",
]

ALLOWED_DECISIONS = ["approve", "edit", "reject"]
REJECTED_BY_USER_MESSAGE = "User rejected this action. It was not executed."
APPROVE: dict[str, Any] = {"type": "approve"}
NO_DECISION: dict[str, Any] = {
    "type": "reject",
    "message": "No decision was given for this action. It was not executed.",
}

SHOWN_ACTIONS = "shown_actions"
"""Key below ``configurable``: the actions that the decisions of this run were made for."""

_KNOWN_DECISIONS = frozenset({"approve", "edit", "reject"})

Destination: TypeAlias = Literal["tool_node", "llm_call"]


class HumanReview(Protocol):
    """The node ``human_review``."""

    def __call__(self, state: AgentState, config: RunnableConfig = ...) -> Command[Destination]:
        """Pause if need be, apply the decisions and say where to go."""
        ...


def check_allowed_decisions() -> None:
    """Refuse a misspelt or empty ``ALLOWED_DECISIONS``: it would leave actions undecidable.

    Raises:
        ValueError: with the words that mean nothing.
    """
    unknown = sorted(set(ALLOWED_DECISIONS) - _KNOWN_DECISIONS)
    if unknown or not ALLOWED_DECISIONS:
        msg = (
            f"ALLOWED_DECISIONS must hold some of {sorted(_KNOWN_DECISIONS)}, "
            f"got {ALLOWED_DECISIONS}"
        )
        raise AgentDefinitionError(msg)


def should_continue(state: AgentState) -> str:
    """Name the step after ``llm_call``: review waiting calls, retry after broken ones, or end."""
    if unanswered_tool_calls(state["messages"]):
        return "human_review"
    return "llm_call" if trailing_results(state["messages"]) else END


def build_review_request(tool_calls: Sequence[ToolCall]) -> dict[str, Any]:
    """Return what a person is shown: one action per call, in the order of the calls, JSON only."""
    return {
        "action_requests": [
            {
                "name": call["name"],
                "args": call["args"],
                "description": f"Tool `{call['name']}` menunggu persetujuan",
            }
            for call in tool_calls
        ],
        "review_configs": [
            {"action_name": call["name"], "allowed_decisions": list(ALLOWED_DECISIONS)}
            for call in tool_calls
        ],
    }


def make_human_review(
    tools_requiring_approval: ToolsRequiringApproval | ApprovalPolicy,
) -> HumanReview:
    """Make the node ``human_review``, which pauses for the calls that need approval.

    The node runs again from its first line when it is resumed, so nothing before the pause has
    an effect, and nothing behind it can raise. It is resumed with
    ``Command(resume={"decisions": [...]})``, one decision per action shown. An action without a
    usable decision counts as rejected; surplus decisions are ignored.

    A deployment between pause and decision may have changed the policy. Where the answer and the
    config say what was shown, each decision counts for the action that it was made for: a call
    that needs approval since then was not shown and counts as rejected, and one that needs none
    any more is still bound to its decision.
    """
    policy = (
        tools_requiring_approval
        if isinstance(tools_requiring_approval, ApprovalPolicy)
        else ApprovalPolicy(tools_requiring_approval)
    )

    def human_review(state: AgentState, config: RunnableConfig = NO_CONFIG) -> Command[Destination]:
        messages = state["messages"]
        shown = {_identity(each) for each in config.get("configurable", {}).get(SHOWN_ACTIONS, ())}
        reviewed = [
            call
            for call in unanswered_tool_calls(messages)
            if policy.requires(call) or _identity(call) in shown
        ]
        if not reviewed:
            return Command(goto=tool_tasks(messages))
        answer = interrupt(build_review_request(reviewed))
        return _apply(messages, reviewed, _decisions_for(reviewed, answer))

    return human_review


def _decisions_for(calls: Sequence[ToolCall], answer: Any) -> list[dict[str, Any]]:
    """Return one decision per call, taken from the answer to the pause."""
    decisions = _list_in(answer, "decisions")
    shown = _list_in(answer, "action_requests")
    if shown:
        decisions = _by_identity(calls, shown, decisions)
    padded = [*decisions, *[NO_DECISION] * len(calls)][: len(calls)]
    return [decision if _is_usable(decision) else NO_DECISION for decision in padded]


def _list_in(answer: Any, key: str) -> list[Any]:
    value = answer.get(key) if isinstance(answer, dict) else None
    return list(value) if isinstance(value, list | tuple) else []


def _by_identity(
    calls: Sequence[ToolCall], shown: Sequence[Any], decisions: Sequence[Any]
) -> list[Any]:
    waiting: defaultdict[str, list[Any]] = defaultdict(list)
    for action, decision in zip(shown, decisions, strict=False):
        waiting[_identity(action)].append(decision)
    return [
        waiting[identity].pop(0) if waiting[identity] else NO_DECISION
        for identity in map(_identity, calls)
    ]


def _identity(action: Mapping[str, Any]) -> str:
    """Return what a person sees of an action: equal actions may be swapped, others never."""
    return canonical_json([action["name"], action["args"]])


def _is_usable(decision: Any) -> bool:
    if not isinstance(decision, dict) or decision.get("type") not in ALLOWED_DECISIONS:
        return False
    if decision["type"] != "edit":
        return True
    action: Any = decision.get("edited_action")
    return is_edited_action(action) and unstorable_part(action["args"], CEILING) is None


def is_edited_action(value: Any) -> bool:
    """Tell whether ``value`` is an edited action: the ``name`` of a tool and an object ``args``."""
    return (
        isinstance(value, dict)
        and is_tool_name(value.get("name"))
        and isinstance(value.get("args"), dict)
    )


def _apply(
    messages: list[AnyMessage],
    reviewed: Sequence[ToolCall],
    decisions: Sequence[dict[str, Any]],
) -> Command[Destination]:
    pairs = list(zip(reviewed, decisions, strict=True))
    message = last_ai_message(messages)
    update: list[AnyMessage] = []
    edited = {
        call["id"] or "": _edited_call(call, decision)
        for call, decision in pairs
        if decision["type"] == "edit"
    }
    if message is not None and edited:
        message = replace_tool_calls(message, edited)
        update.append(message)
    rejections = [_rejection(c, d) for c, d in pairs if d["type"] == "reject"]
    update.extend(rejections)
    approved = frozenset(c["id"] or "" for c, d in pairs if d["type"] != "reject")
    return Command(update={"messages": update}, goto=_next(messages, message, rejections, approved))


def _next(
    messages: list[AnyMessage],
    message: AIMessage | None,
    rejections: Sequence[ToolMessage],
    approved: frozenset[str],
) -> list[Send] | Literal["llm_call"]:
    """Run what may run; the state that the tasks are cut from already holds the decisions."""
    decided = [message if m.id == message.id else m for m in messages] if message else messages
    return tool_tasks([*decided, *rejections], approved=approved) or "llm_call"


def _edited_call(call: ToolCall, decision: dict[str, Any]) -> ToolCall:
    action = decision["edited_action"]
    return ToolCall(name=action["name"], args=action["args"], id=call["id"], type="tool_call")


def _rejection(call: ToolCall, decision: dict[str, Any]) -> ToolMessage:
    return rejected_result(call, _rejection_text(decision))


def _rejection_text(decision: dict[str, Any]) -> str:
    reason = decision.get("message")
    if decision is NO_DECISION:
        return str(reason)
    if not isinstance(reason, str) or not reason.strip():
        return REJECTED_BY_USER_MESSAGE
    return (
        f"{REJECTED_BY_USER_MESSAGE} Do not try it again unless the user asks for it. "
        f"Reason: {clean_text(reason)}"
    )
