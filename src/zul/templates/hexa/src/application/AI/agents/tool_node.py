"""The node that runs tools: one task a call, approved actions at most once.

Rules of this module:

- Every call is a task of its own (``Send``). What has finished stays finished when a neighbour
  fails or the process dies, and pauses of parallel subagents do not mix.
- A tool that raises closes its call with an error result first; the run fails afterwards, in
  ``llm_call``. So the conversation never keeps a call without a result.
- A tool whose time is over is no longer waited for. What was approved has an unknown outcome then,
  as after a crash; if the tool comes to its end all the same, the ledger learns how.
- A call that needs approval runs only from a task that says so, under a claim in the ledger. One
  that pauses itself, such as a subagent, gives the claim back: it goes on from its first line.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NotRequired, Protocol

from langchain_core.messages import AnyMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphInterrupt
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from src.application.actions import action_key, carrying_out, is_repeatable
from src.application.AI.agents.approval import NO_APPROVALS, ApprovalPolicy
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.tool_calls import (
    error_result,
    last_ai_message,
    raised_result,
    turn_id,
    unanswered_tool_calls,
)
from src.application.AI.agents.tool_execution import CallExecution, ToolResult
from src.application.ports.action_ledger import (
    Action,
    ActionLedger,
    ActionOutcome,
    ActionStatus,
)
from src.application.ports.in_memory import InMemoryActionLedger
from src.application.tool_time import OutOfTimeError

logger = logging.getLogger(__name__)

TOOL_NODE = "tool_node"
OUTCOME_UNKNOWN_MESSAGE = (
    "The outcome of this action is unknown: the service lost sight of it while it was running. It "
    "may or may not have taken effect. It was not run again. Tell the user so, and do not repeat "
    "it unless the user asks for it."
)
TIME_IS_OVER_MESSAGE = (
    "Error: {name} was not over within {seconds:g} seconds and is no longer waited for. It may or "
    "may not have had an effect."
)
NOT_APPROVED_MESSAGE = "This action needs approval and nobody approved it. It was not executed."

NO_CONFIG: RunnableConfig = {}


class ToolTask(TypedDict):
    """One call to run. ``approved`` says that a person decided on exactly this call."""

    call: ToolCall
    message_id: str | None
    turn_id: NotRequired[str | None]  # a task that waited through an upgrade has none
    approved: bool


class ToolNodeFunction(Protocol):
    """The node ``tool_node``."""

    def __call__(self, state: Any, config: RunnableConfig = ...) -> dict[str, Any] | list[Any]:
        """Return the results as an update of the messages."""
        ...


def tool_tasks(
    messages: Sequence[AnyMessage], *, approved: frozenset[str] = frozenset()
) -> list[Send]:
    """Return a task for each call without a result; ``approved`` holds call ids."""
    message = last_ai_message(messages)
    return [
        Send(
            TOOL_NODE,
            ToolTask(
                call=call,
                message_id=message.id if message else None,
                turn_id=turn_id(messages),
                approved=call["id"] in approved,
            ),
        )
        for call in unanswered_tool_calls(messages)
    ]


def make_tool_node(
    tools: Sequence[BaseTool],
    policy: ApprovalPolicy = NO_APPROVALS,
    ledger: ActionLedger | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> ToolNodeFunction:
    """Make the node ``tool_node``.

    Args:
        tools: what may run.
        policy: which calls need approval.
        ledger: where approved actions are claimed; in memory by default.
        limits: how long a result may be, and how long a tool may take.

    Returns:
        A node that takes a ``ToolTask``, or a whole state whose unanswered calls it runs. An
        unknown tool or arguments that break the schema become an error result for the model.
    """
    runner = _ToolRunner(tools, policy, ledger or InMemoryActionLedger(), limits)

    def tool_node(state: Any, config: RunnableConfig = NO_CONFIG) -> dict[str, Any] | list[Any]:
        tasks = _tasks_of(state)
        results = [runner.run(task, config) for task in tasks]
        if any(isinstance(result, Command) for result in results):
            return [
                result if isinstance(result, Command) else {"messages": [result]}
                for result in results
            ]
        return {"messages": results}

    return tool_node


def _tasks_of(state: Any) -> list[ToolTask]:
    if "messages" not in state:
        return [state]
    return [send.arg for send in tool_tasks(state["messages"])]


class _ToolRunner:
    def __init__(
        self,
        tools: Sequence[BaseTool],
        policy: ApprovalPolicy,
        ledger: ActionLedger,
        limits: Limits,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._calls = CallExecution(tools, limits)
        self._policy = policy
        self._ledger = ledger

    def run(self, task: ToolTask, config: RunnableConfig) -> ToolResult:
        call = task["call"]
        if task["approved"]:
            return self._run_once(task, config)
        if self._policy.requires(call):
            return error_result(call, NOT_APPROVED_MESSAGE)
        try:
            return self._calls.execute(call, config)[0]
        except OutOfTimeError as error:
            logger.warning("The tool %s is no longer waited for: %s", call["name"], error)
            text = TIME_IS_OVER_MESSAGE.format(name=call["name"], seconds=error.seconds)
            return error_result(call, text)

    def _run_once(self, task: ToolTask, config: RunnableConfig) -> ToolResult:
        call = task["call"]
        thread_id = str(config.get("configurable", {}).get("thread_id", ""))
        action = Action(
            key=action_key(thread_id, _message_place(task, config), call),
            thread_id=thread_id,
            tool_call_id=call["id"] or "",
            name=call["name"],
            args=call["args"],
        )
        claim = self._ledger.claim(action, repeatable=is_repeatable(self._tools.get(call["name"])))
        if not claim.granted:
            return _earlier_result(call, claim.outcome)
        try:
            with carrying_out(action.key):
                result, outcome = self._calls.execute(call, config)
        except GraphInterrupt:
            self._ledger.release(action.key)
            raise
        except OutOfTimeError as error:
            logger.warning("The outcome of an action of %s is unknown: %s", call["name"], error)
            error.late.add_done_callback(partial(self._record_late, action.key, call))
            self._ledger.give_up(action.key)
            return error_result(call, OUTCOME_UNKNOWN_MESSAGE)
        self._ledger.record(action.key, outcome)
        return result

    def _record_late(self, key: str, call: ToolCall, late: "Future[Any]") -> None:
        """Note how an action ended that was given up: for people; the conversation has moved on."""
        if late.cancelled():
            return
        try:
            outcome = self._calls.late_outcome(call, late)
            self._ledger.record(key, outcome)
        except Exception:  # nobody is above; without a note the outcome stays unknown, as it was
            logger.exception("The late outcome of an action of %s is lost", call["name"])
        else:
            logger.warning("A late action of %s: %s", call["name"], outcome.status.value)


def _message_place(task: ToolTask, config: RunnableConfig) -> str:
    """Return what identifies the model's message in the whole conversation.

    Its own id is not enough. A provider that numbers its messages anew gives the same id again:
    in another delegation to a subagent, or when a history budget hides the first one.
    """
    namespace: str = config.get("configurable", {}).get("checkpoint_ns", "")
    delegation = namespace.rpartition("|")[0]
    return f"{delegation or task.get('turn_id') or ''}{task['message_id']}"


def _earlier_result(call: ToolCall, outcome: ActionOutcome | None) -> ToolMessage:
    if outcome is None:
        return error_result(call, OUTCOME_UNKNOWN_MESSAGE)
    if outcome.raised:
        return raised_result(call)
    return ToolMessage(
        outcome.content,
        name=call["name"],
        tool_call_id=call["id"] or "",
        status="success" if outcome.status is ActionStatus.SUCCEEDED else "error",
    )
