"""How long a tool may take.

A thread cannot be stopped from outside. So a tool whose time is over is no longer waited for, and
may still come to its end; an asynchronous one is cancelled.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from langchain_core.tools import BaseTool

from src.application.daemon_threads import DaemonThreads

_TIME_LIMIT = "time_limit_seconds"

_threads = DaemonThreads("tool")

T = TypeVar("T")
ToolT = TypeVar("ToolT", bound=BaseTool)


class OutOfTimeError(Exception):
    """The tool is no longer waited for.

    Attributes:
        seconds: the limit.
        late: what the tool still comes to; cancelled where it could be.
    """

    def __init__(self, seconds: float, late: "Future[Any]") -> None:
        super().__init__(f"Not over within {seconds:g} seconds")
        self.seconds = seconds
        self.late = late


def time_limit(tool: ToolT, seconds: float | None) -> ToolT:
    """Give ``tool`` a limit of its own instead of the service's; ``None`` for no limit.

    A tool that runs an agent needs none: each of that agent's model calls and tools has its own.
    """
    tool.metadata = {**(tool.metadata or {}), _TIME_LIMIT: seconds}
    return tool


def seconds_for(tool: BaseTool, default: float | None) -> float | None:
    """Return the limit that holds for ``tool``."""
    seconds: float | None = (tool.metadata or {}).get(_TIME_LIMIT, default)
    return seconds


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of blocking ``work``, which runs in a copy of the caller's context.

    Raises:
        OutOfTimeError: it takes longer.
    """
    return result_within(seconds, _threads.submit(work))


def result_within(seconds: float | None, future: "Future[T]") -> T:
    """Wait for a result; what is no longer waited for is cancelled where it can be.

    Raises:
        OutOfTimeError: it takes longer.
    """
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        if seconds is None or future.done():  # the work's own failure, or ready at this moment
            return future.result()
    finally:
        future.cancel()
    raise OutOfTimeError(seconds, future)
