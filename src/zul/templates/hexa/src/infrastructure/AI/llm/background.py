"""The event loop, in a thread of its own, where all calls to chat models do their waiting.

A thread that waits for a socket cannot be stopped, a task can: cancelling it closes the
connection, whatever the server is doing. That is what makes a limit on the total time hold.
All calls share the one loop because the providers' clients keep connections that belong to it.
"""

import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from queue import SimpleQueue
from typing import Any, TypeVar, cast

from src.application.background_loop import BackgroundLoop

T = TypeVar("T")

_BLOCKING_CALLS = 64
"""Threads for name look-ups and for models without an asynchronous client."""

_END = object()
_loop = BackgroundLoop("llm-calls", blocking_threads=_BLOCKING_CALLS)

submit = _loop.submit
run = _loop.run


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
