"""The event loop, in a thread of its own, where all calls to chat models do their waiting.

A thread that waits for a socket cannot be stopped, a task can: cancelling it closes the
connection, whatever the server is doing. That is what makes a limit on the total time hold.
All calls share the one loop because the providers' clients keep connections that belong to it.
"""

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar, cast

T = TypeVar("T")

_BLOCKING_CALLS = 64
"""Threads for name look-ups and for models without an asynchronous client."""

_END = object()
# Reentrant, because collecting garbage may call close_with's callback anywhere.
_lock = threading.RLock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def submit(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Start ``work`` on the background loop, in a copy of the caller's context."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Wait for the result of ``work``; a caller that is interrupted ends it."""
    future = submit(work)
    try:
        return future.result()
    finally:
        future.cancel()


def iterate(items: AsyncIterator[T]) -> Iterator[T]:
    """Yield what ``items`` yields; a caller that leaves early ends the work."""
    arrived: SimpleQueue[object] = SimpleQueue()

    async def pump() -> None:
        async for item in items:
            arrived.put(item)

    future = submit(pump())
    future.add_done_callback(lambda _: arrived.put(_END))
    try:
        while (item := arrived.get()) is not _END:
            yield cast("T", item)
        future.result()
    finally:
        future.cancel()


def close_with(owner: object, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run ``close`` when nobody holds ``owner`` any more, so that its connections end, too."""
    weakref.finalize(owner, lambda: submit(close())).atexit = False


def _loop() -> asyncio.AbstractEventLoop:
    # A forked worker inherits the dictionary but not the thread, hence the process id.
    process = os.getpid()
    with _lock:
        if process not in _loops:
            _loops[process] = _start_loop()
        return _loops[process]


def _start_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(_BLOCKING_CALLS, "llm-blocking"))
    threading.Thread(target=loop.run_forever, name="llm-calls", daemon=True).start()
    return loop


def _unlock_after_fork() -> None:
    global _lock  # noqa: PLW0603 - another thread may have held it at the moment of the fork
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_unlock_after_fork)
