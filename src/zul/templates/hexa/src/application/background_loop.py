"""Event loops in threads of their own, for asynchronous work of synchronous callers."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from src.application.compute_queue import compute_queue
from src.application.daemon_threads import DaemonThreads

_apart = DaemonThreads("apart-from-loop")

logger = logging.getLogger(__name__)

T = TypeVar("T")

_LONGEST_BLOCK_SECONDS = 1.0


class BackgroundLoop:
    """An event loop that starts in a thread of its own at its first use, in every process anew.

    All callers share it, so clients that keep connections can be used again. Work must not block
    the loop's thread. To be made once, at import: it is never stopped.
    """

    def __init__(self, name: str, *, blocking_threads: int | None = None) -> None:
        """Describe the loop.

        Args:
            name: of the thread.
            blocking_threads: the most threads for blocking calls that the work hands on with
                ``run_in_executor``; Python's default without it.
        """
        self._name = name
        self._blocking_threads = blocking_threads
        # Reentrant, because collecting garbage may submit work at any line.
        self._lock = threading.RLock()
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None
        if sys.platform != "win32":
            # A child has the loop but not its thread, and the lock as it was at that moment.
            os.register_at_fork(after_in_child=self._forget)

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start ``work`` in a copy of the caller's context."""
        return asyncio.run_coroutine_threadsafe(work, self._started()[0])

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start ``work`` where the caller can wait for it, whoever the caller is."""
        if threading.current_thread() is self._started()[1]:
            # Work on the loop calls something synchronous that has work for it: waiting here for
            # the loop would be waiting for itself.
            return _apart.submit(partial(asyncio.run, work))
        return self.submit(work)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the result of ``work``; a caller that is interrupted ends it."""
        future = self.start(work)
        try:
            return compute_queue.result_of(future)
        finally:
            future.cancel()

    def replace_if_stuck(self) -> None:
        """Start new work on another loop if work blocks this one's thread.

        What is on the blocked loop goes on there when the thread is free again.
        """
        running = self._running
        if running is None or running[1] is threading.current_thread():
            return
        answers = threading.Event()
        running[0].call_soon_threadsafe(answers.set)
        if answers.wait(_LONGEST_BLOCK_SECONDS):
            return
        with self._lock:
            if self._running is running:
                logger.error("The loop %s is blocked; new work gets another one", self._name)
                self._running = None

    def _started(self) -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
        with self._lock:
            if self._running is None:
                self._running = self._start()
            return self._running

    def _start(self) -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
        loop = asyncio.new_event_loop()
        if self._blocking_threads is not None:
            executor = ThreadPoolExecutor(self._blocking_threads, f"{self._name}-blocking")
            loop.set_default_executor(executor)
        thread = threading.Thread(target=loop.run_forever, name=self._name, daemon=True)
        thread.start()
        return loop, thread

    def _forget(self) -> None:
        self._lock = threading.RLock()
        self._running = None
