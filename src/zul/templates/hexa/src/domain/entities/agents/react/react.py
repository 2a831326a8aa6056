"""The state that every agent of this service carries from node to node.

LangGraph types in the domain are a deliberate exception: the state is the one data shape that
nodes, routing and builders share, so it lives where all of them may import it.
"""

from collections.abc import Sequence
from typing import Annotated, cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage
from langgraph.graph.message import Messages, add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict


def add_messages_in_call_order(left: Messages, right: Messages) -> Messages:
    """Merge like ``add_messages`` and keep the newest tool results in the order of their calls.

    A rejected call gets its result before its approved neighbours have run, and tools that run in
    parallel finish in any order; people and some providers read results by position.
    """
    merged = cast("list[BaseMessage]", add_messages(left, right))
    end = len(merged)
    while end and not isinstance(merged[end - 1], ToolMessage):
        end -= 1
    start = end
    while start and isinstance(merged[start - 1], ToolMessage):
        start -= 1
    caller = merged[start - 1] if start else None
    if isinstance(caller, AIMessage):
        results = cast("list[ToolMessage]", merged[start:end])
        merged[start:end] = _in_call_order(caller, results)
    return cast("Messages", merged)


def _in_call_order(caller: AIMessage, results: Sequence[ToolMessage]) -> list[ToolMessage]:
    position = {call["id"]: index for index, call in enumerate(caller.tool_calls)}
    return sorted(results, key=lambda result: position.get(result.tool_call_id, len(position)))


class AgentState(TypedDict):
    """Messages of the conversation, and how many graph steps this run may still take."""

    messages: Annotated[list[AnyMessage], add_messages_in_call_order]
    remaining_steps: RemainingSteps
