"""Has LangGraph store what a turn writes in the thread that takes the turn.

LangGraph starts a pool of threads for each turn, hands every write to it, and ends it again. With
hundreds of turns in flight the threads cost more than the writes, and none of it is faster: the
interpreter runs one of them at a time. Tasks that do run side by side keep their pool; it is
started when the first of them comes.

LangGraph has no setting for this, so a name of its own is replaced. Where that name has gone, turns
are taken as LangGraph takes them.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from typing import Any, TypeAlias

from langgraph.checkpoint.base import BaseCheckpointSaver

_MODULE = "langgraph.pregel._executor"
_NAME = "get_executor_for_config"
_PUT_STATE = "_checkpointer_put_after_previous"  # of LangGraph's loop
_PUT_WRITES = "put_writes"  # of the checkpointer

_MakeExecutor: TypeAlias = Callable[[Any], AbstractContextManager[Any]]


class _WritesInPlace:
    """The part of an executor that LangGraph uses."""

    def __init__(self, start_pool: Callable[[], Any]) -> None:
        self._start_pool = start_pool
        self._pool: Any = None
        self._guard = threading.Lock()

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Run ``call`` at once if it writes, else in a thread."""
        if not (args and _is_write(args[0])):
            with self._guard:
                self._pool = self._pool or self._start_pool()
            return self._pool.submit(call, *args, **kwargs)  # type: ignore[no-any-return]
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - LangGraph raises it where it asks for the result
            future.set_exception(error)
        return future


def write_in_place() -> bool:
    """Let all graphs of this process store their writes in place, from their next turn on.

    Returns:
        Whether LangGraph still has the name that is replaced.
    """
    try:
        module = import_module(_MODULE)
    except ImportError:
        return False
    current = getattr(module, _NAME, None)
    if current is None:
        return False
    if not hasattr(current, "starts_pool_with"):
        setattr(module, _NAME, _in_place_of(current))
    return True


def _in_place_of(original: _MakeExecutor) -> _MakeExecutor:
    @contextmanager
    def executor(config: Any) -> Iterator[_WritesInPlace]:
        with ExitStack() as stack:
            yield _WritesInPlace(lambda: stack.enter_context(original(config)))

    executor.starts_pool_with = original  # type: ignore[attr-defined]
    return executor


def _is_write(function: Any) -> bool:
    name = getattr(function, "__name__", None)
    if name == _PUT_WRITES:
        return isinstance(getattr(function, "__self__", None), BaseCheckpointSaver)
    return bool(name == _PUT_STATE)
