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
- Control-flow exceptions of LangGraph pass, and so does a store that failed inside a subagent: what
  ran there is asked of the ledger later, not guessed. A pause passes only if it asks for a review:
  nobody could answer another one, and the conversation would wait for ever.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NotRequired, Protocol, cast

from langchain_core.messages import AnyMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from src.application.actions import action_key, carrying_out, is_repeatable
from src.application.AI.agents.approval import NO_APPROVALS, ApprovalPolicy, is_review_request
from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits
from src.application.AI.agents.tool_calls import (
    error_result,
    last_ai_message,
    raised_result,
    turn_id,
    unanswered_tool_calls,
)
from src.application.AI.agents.tool_results import answering, kept_result
from src.application.background_loop import BackgroundLoop
from src.application.errors import StoreError
from src.application.ports.action_ledger import (
    Action,
    ActionLedger,
    ActionOutcome,
    ActionStatus,
)
from src.application.ports.in_memory import InMemoryActionLedger
from src.application.tool_time import OutOfTimeError, result_within, run_within, seconds_for

logger = logging.getLogger(__name__)
_async_tools = BackgroundLoop("async-tools")

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

# The last two are no ``Exception``: libraries for the command line and asynchronous clients raise
# them, and would end the request, not just the tool.
_FAILURES = (Exception, SystemExit, asyncio.CancelledError)
_RUNTIME = "__pregel_runtime"  # where ToolNode expects the graph's runtime in the config


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
        # The package brings agents along that nothing here needs; a server starts without them.
        from langgraph.prebuilt import ToolNode  # noqa: PLC0415

        self._tools = {tool.name: tool for tool in tools}
        # The wrapper, not the whole node: the node's own threads would keep the process from
        # ending while a tool hangs in one of them.
        self._node = ToolNode(list(tools), wrap_tool_call=self._in_time, awrap_tool_call=_unchanged)
        self._policy = policy
        self._ledger = ledger
        self._limits = limits

    def run(self, task: ToolTask, config: RunnableConfig) -> ToolMessage | Command[Any]:
        call = task["call"]
        if task["approved"]:
            return self._run_once(task, config)
        if self._policy.requires(call):
            return error_result(call, NOT_APPROVED_MESSAGE)
        try:
            return self._attempt(call, partial(self._invoke, call, config))[0]
        except OutOfTimeError as error:
            logger.warning("The tool %s is no longer waited for: %s", call["name"], error)
            text = TIME_IS_OVER_MESSAGE.format(name=call["name"], seconds=error.seconds)
            return error_result(call, text)

    def _run_once(self, task: ToolTask, config: RunnableConfig) -> ToolMessage | Command[Any]:
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
                result, outcome = self._attempt(call, partial(self._invoke, call, config))
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
            _, outcome = self._attempt(call, lambda: _first(late.result()))
            self._ledger.record(key, outcome)
        except Exception:  # nobody is above; without a note the outcome stays unknown, as it was
            logger.exception("The late outcome of an action of %s is lost", call["name"])
        else:
            logger.warning("A late action of %s: %s", call["name"], outcome.status.value)

    def _attempt(
        self, call: ToolCall, run: Callable[[], ToolMessage | Command[Any]]
    ) -> tuple[ToolMessage | Command[Any], ActionOutcome]:
        try:
            result = kept_result(answering(call, run()), self._limits)
        except OutOfTimeError:
            raise
        except _FAILURES as error:
            if _is_for_the_graph(error):
                raise
            logger.exception("The tool %s raised", call["name"])
            failed = raised_result(call, error)
            return failed, ActionOutcome(
                status=ActionStatus.FAILED, content=failed.content, raised=True
            )
        return result, _outcome(call, result)

    def _invoke(self, call: ToolCall, config: RunnableConfig) -> ToolMessage | Command[Any]:
        if _RUNTIME not in config.get("configurable", {}):
            config = {
                **config,
                "configurable": {**config.get("configurable", {}), _RUNTIME: Runtime()},
            }
        calls = [{**call, "type": "tool_call"}]
        if _is_asynchronous(self._tools.get(call["name"])):
            seconds = seconds_for(self._tools[call["name"]], self._limits.tool_seconds)
            output = result_within(seconds, _async_tools.start(self._node.ainvoke(calls, config)))
        else:
            output = self._node.invoke(calls, config)
        return _first(output)

    def _in_time(self, request: Any, execute: Callable[[Any], Any]) -> Any:
        """Let a tool's function run within its limit; called in a thread of the node."""
        if request.tool is None:
            return execute(request)
        seconds = seconds_for(request.tool, self._limits.tool_seconds)
        work = partial(execute, request)
        return work() if seconds is None else run_within(seconds, work)


async def _unchanged(request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
    """Stand where the node would otherwise call the wrapper of blocking tools, on the loop."""
    return await execute(request)


def _first(output: Any) -> ToolMessage | Command[Any]:
    results = output["messages"] if isinstance(output, dict) else output
    return cast("ToolMessage | Command[Any]", results[0] if isinstance(results, list) else results)


def _is_for_the_graph(error: BaseException) -> bool:
    """Tell whether whoever runs the graph has to see the exception; else the tool failed."""
    if isinstance(error, GraphInterrupt):
        interrupts = error.args[0] if error.args else ()
        return bool(interrupts) and all(is_review_request(each.value) for each in interrupts)
    return isinstance(error, GraphBubbleUp | StoreError)


def _message_place(task: ToolTask, config: RunnableConfig) -> str:
    """Return what identifies the model's message in the whole conversation.

    Its own id is not enough. A provider that numbers its messages anew gives the same id again:
    in another delegation to a subagent, or when a history budget hides the first one.
    """
    namespace: str = config.get("configurable", {}).get("checkpoint_ns", "")
    delegation = namespace.rpartition("|")[0]
    return f"{delegation or task.get('turn_id') or ''}{task['message_id']}"


def _is_asynchronous(tool: BaseTool | None) -> bool:
    """Tell whether ``tool`` can only be awaited, such as the tools of an MCP server."""
    return getattr(tool, "func", True) is None and getattr(tool, "coroutine", None) is not None


def _outcome(call: ToolCall, result: ToolMessage | Command[Any]) -> ActionOutcome:
    message = _message_in(call, result)
    failed = message is not None and message.status == "error"
    return ActionOutcome(
        status=ActionStatus.FAILED if failed else ActionStatus.SUCCEEDED,
        content="" if message is None else message.content,
    )


def _message_in(call: ToolCall, result: ToolMessage | Command[Any]) -> ToolMessage | None:
    if isinstance(result, ToolMessage):
        return result
    update = result.update if isinstance(result.update, dict) else {}
    return next(
        (
            message
            for message in update.get("messages", [])
            if isinstance(message, ToolMessage) and message.tool_call_id == call["id"]
        ),
        None,
    )


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
