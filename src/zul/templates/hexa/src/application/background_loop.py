"""An event loop in a thread of its own, for asynchronous work of synchronous callers."""

import asyncio
import contextvars
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loops: dict[int, tuple[asyncio.AbstractEventLoop, threading.Thread]] = {}


def run_in_background(work: Coroutine[Any, Any, T]) -> T:
    """Wait for the result of ``work``, which runs in a copy of the caller's context.

    All callers share one loop, so clients that tools keep open can be used again. ``work`` must
    not block the loop's thread.
    """
    loop, thread = _started()
    if threading.current_thread() is thread:
        # A tool on the loop called a graph that calls such a tool: waiting here for the loop
        # would be waiting for itself.
        with ThreadPoolExecutor(1) as another:
            return another.submit(contextvars.copy_context().run, asyncio.run, work).result()
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    finally:
        future.cancel()


def _started() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    # A forked worker inherits the dictionary but not the thread, hence the process id.
    process = os.getpid()
    with _lock:
        if process not in _loops:
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="async-tools", daemon=True)
            thread.start()
            _loops[process] = loop, thread
        return _loops[process]


def _unlock_after_fork() -> None:
    global _lock  # noqa: PLW0603 - another thread may have held it at the moment of the fork
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_unlock_after_fork)
