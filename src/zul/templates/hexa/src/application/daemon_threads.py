"""Threads for blocking work that may never end."""

import contextvars
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")

_IDLE_SECONDS = 30.0

_Inbox = SimpleQueue[Callable[[], None]]


class DaemonThreads:
    """Runs each work in a thread of its own, and keeps the threads for later work for a while.

    Unlike the threads of ``ThreadPoolExecutor`` they keep no process from ending: one that hangs
    in its work is left behind. There are as many of them as there is work at the same time. To be
    made once, at import.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: list[_Inbox] = []
        if sys.platform != "win32":
            # A child has the notes of the threads but not the threads.
            os.register_at_fork(after_in_child=self._forget)

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Start ``work`` in a copy of the caller's context; what it returns cannot be cancelled."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        job = partial(_carry_out, work, contextvars.copy_context(), future)
        try:
            inbox = self._idle.pop()  # the last one to become idle, so that the others can go
        except IndexError:
            inbox = SimpleQueue()
            threading.Thread(
                target=self._serve, args=(inbox,), name=self._name, daemon=True
            ).start()
        inbox.put(job)
        return future

    def _serve(self, inbox: _Inbox) -> None:
        while True:
            try:
                job = inbox.get(timeout=_IDLE_SECONDS)
            except Empty:
                try:
                    self._idle.remove(inbox)
                except ValueError:  # new: nothing came yet; or taken just now: something will come
                    continue
                return
            job()
            del job  # or it would keep its work's objects alive while the thread is idle
            self._idle.append(inbox)

    def _forget(self) -> None:
        self._idle = []


def _carry_out(work: Callable[[], T], context: contextvars.Context, future: "Future[T]") -> None:
    try:
        result = context.run(work)
    except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
        future.set_exception(error)
    else:
        future.set_result(result)
    finally:
        del future  # else a failure would hold itself, by its traceback
