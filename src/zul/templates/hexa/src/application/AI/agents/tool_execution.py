"""Runs one tool call: within its time, and so that every end of a tool is a result.

Control-flow exceptions of LangGraph pass, and so does a store that failed inside a subagent: what
ran there is asked of the ledger later, not guessed. A pause passes only if it asks for a review:
nobody could answer another one, and the conversation would wait for ever.
"""

import asyncio
import copy
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeAlias, cast

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import Command

from src.application.AI.agents.approval import is_review_request
from src.application.AI.agents.limits import Limits
from src.application.AI.agents.tool_calls import raised_result
from src.application.AI.agents.tool_results import answering, kept_result
from src.application.background_loop import BackgroundLoop
from src.application.compute_queue import compute_queue
from src.application.errors import StoreError
from src.application.ports.action_ledger import ActionOutcome, ActionStatus
from src.application.tool_time import OutOfTimeError, result_within, run_within, seconds_for

logger = logging.getLogger(__name__)
_async_tools = BackgroundLoop("async-tools")

ToolResult: TypeAlias = ToolMessage | Command[Any]

# The last two are no ``Exception``: libraries for the command line and asynchronous clients raise
# them, and would end the request, not just the tool.
_FAILURES = (Exception, SystemExit, asyncio.CancelledError)
_RUNTIME = "__pregel_runtime"  # where ToolNode expects the graph's runtime in the config


class CallExecution:
    """Runs calls of ``tools`` with LangGraph's own node, which checks and injects arguments."""

    def __init__(self, tools: Sequence[BaseTool], limits: Limits) -> None:
        # The package brings agents along that nothing here needs; a server starts without them.
        from langgraph.prebuilt import ToolNode  # noqa: PLC0415

        self._tools = {tool.name: tool for tool in tools}
        # The wrapper, not the whole node: the node's own threads would keep the process from
        # ending while a tool hangs in one of them.
        self._node = ToolNode(list(tools), wrap_tool_call=self._in_time, awrap_tool_call=_unchanged)
        self._limits = limits

    def execute(self, call: ToolCall, config: RunnableConfig) -> tuple[ToolResult, ActionOutcome]:
        """Run a tool.

        Returns:
            Its result as it is kept, and the same for the ledger. A tool that raises has a result,
            too.

        Raises:
            OutOfTimeError: the tool is no longer waited for.
            GraphBubbleUp: the tool paused for a review, or steers the graph.
            StoreError: a store failed inside a subagent.
        """
        return self._judged(call, partial(self._invoke, call, config))

    def late_outcome(self, call: ToolCall, late: "Future[Any]") -> ActionOutcome:
        """Return how a tool ended that was no longer waited for.

        Raises:
            GraphBubbleUp: it wanted the graph, which has moved on.
        """
        return self._judged(call, lambda: _first(late.result()))[1]

    def _judged(
        self, call: ToolCall, run: Callable[[], ToolResult]
    ) -> tuple[ToolResult, ActionOutcome]:
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

    def _invoke(self, call: ToolCall, config: RunnableConfig) -> ToolResult:
        if _RUNTIME not in config.get("configurable", {}):
            config = {
                **config,
                "configurable": {**config.get("configurable", {}), _RUNTIME: Runtime()},
            }
        # A copy: the arguments are part of the conversation too, and may just be on their way into
        # the store. What a tool changes in them must not become what was approved.
        calls = [{**copy.deepcopy(call), "type": "tool_call"}]
        with compute_queue.waiting():  # the node runs tools in threads of its own
            if _is_asynchronous(self._tools.get(call["name"])):
                output = self._await(self._tools[call["name"]], self._node.ainvoke(calls, config))
            else:
                output = self._node.invoke(calls, config)
        return _first(output)

    def _await(self, tool: BaseTool, work: Coroutine[Any, Any, Any]) -> Any:
        seconds = seconds_for(tool, self._limits.tool_seconds)
        try:
            return result_within(seconds, _async_tools.start(work))
        except OutOfTimeError:
            # One that blocks where it should wait would take all asynchronous tools with it.
            _async_tools.replace_if_stuck()
            raise

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


def _first(output: Any) -> ToolResult:
    results = output["messages"] if isinstance(output, dict) else output
    return cast("ToolResult", results[0] if isinstance(results, list) else results)


def _is_for_the_graph(error: BaseException) -> bool:
    """Tell whether whoever runs the graph has to see the exception; else the tool failed."""
    if isinstance(error, GraphInterrupt):
        interrupts = error.args[0] if error.args else ()
        return bool(interrupts) and all(is_review_request(each.value) for each in interrupts)
    return isinstance(error, GraphBubbleUp | StoreError)


def _is_asynchronous(tool: BaseTool | None) -> bool:
    """Tell whether ``tool`` can only be awaited, such as the tools of an MCP server."""
    return getattr(tool, "func", True) is None and getattr(tool, "coroutine", None) is not None


def _outcome(call: ToolCall, result: ToolResult) -> ActionOutcome:
    message = _message_in(call, result)
    failed = message is not None and message.status == "error"
    return ActionOutcome(
        status=ActionStatus.FAILED if failed else ActionStatus.SUCCEEDED,
        content="" if message is None else message.content,
    )


def _message_in(call: ToolCall, result: ToolResult) -> ToolMessage | None:
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
