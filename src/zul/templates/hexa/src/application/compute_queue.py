"""Lets one turn compute at a time; a turn that waits for somebody else makes room meanwhile.

The interpreter runs one thread at a time. When many want to run, it hands over at every statement
and every message, mostly to a thread that has to be woken on another core, and that costs more
than the work in between. So turns queue here first, in the order in which they came.
"""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from src.application.daemon_threads import DaemonThreads

T = TypeVar("T")

OVERDUE_SECONDS = 0.02
"""Whoever has a place for longer is not computing, or on a machine that has no time for it."""

_threads = DaemonThreads("compute-queue")


class _Place:
    """A turn's place, in the queue and at its head."""

    __slots__ = ("granted", "is_left", "since")

    def __init__(self) -> None:
        self.granted = threading.Lock()
        self.granted.acquire()
        self.since = 0.0
        self.is_left = False


class ComputeQueue:
    """Places for turns that compute; who comes when none is free waits, first come first served.

    It orders and never refuses: a place that somebody has for too long, because code of a turn
    waits without saying so, goes to the next one.

    Args:
        places: how many turns compute at a time.
        overdue_seconds: how long a place is somebody's own while others wait for it.
    """

    def __init__(self, places: int = 1, *, overdue_seconds: float = OVERDUE_SECONDS) -> None:
        self._places = places
        self._overdue_seconds = overdue_seconds
        self._guard = threading.Lock()
        self._holders: list[_Place] = []
        self._waiting: deque[_Place] = deque()
        self._watched = False
        self._here = threading.local()
        if sys.platform != "win32":
            # A child has the notes of the turns but not their threads.
            os.register_at_fork(after_in_child=self._forget)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Have a place for the length of a ``with`` block; inside another one this does nothing."""
        if self._place is not None:
            yield
            return
        try:
            self._enter()
            yield
        finally:
            self._leave()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Leave this thread's place to others for the length of a ``with`` block."""
        if self._place is None:
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._enter()

    def result_of(self, future: "Future[T]") -> T:
        """Wait for a result with this thread's place left to others.

        The result lines the place up again, so a thread wakes once: when both are there. Waking
        it for the result alone, to wait for the place, would cost as much a second time.

        Raises:
            Exception: the future's own.
        """
        if self._place is None or future.done():
            return future.result()
        self._leave()
        place = self._here.place = _Place()
        future.add_done_callback(lambda _: self._line_up(place))
        place.granted.acquire()
        return future.result()

    @property
    def _place(self) -> _Place | None:
        return getattr(self._here, "place", None)

    def _enter(self) -> None:
        place = self._here.place = _Place()
        self._line_up(place)
        place.granted.acquire()

    def _line_up(self, place: _Place) -> None:
        with self._guard:
            if place.is_left:  # who waited for a result was interrupted before it came
                return
            self._waiting.append(place)
            self._fill()
            starts_watch = bool(self._waiting) and not self._watched
            self._watched = self._watched or starts_watch
        if starts_watch:
            self._start_watch()

    def _leave(self) -> None:
        place, self._here.place = self._place, None
        if place is None:
            return
        with self._guard:
            place.is_left = True
            # In neither when it was overdue; in the second when it was interrupted.
            for places in (self._holders, self._waiting):
                if place in places:
                    places.remove(place)
            self._fill()

    def _fill(self) -> None:
        while self._waiting and len(self._holders) < self._places:
            place = self._waiting.popleft()
            place.since = time.monotonic()
            self._holders.append(place)
            place.granted.release()

    def _start_watch(self) -> None:
        try:
            _threads.submit(self._watch)
        except BaseException:
            self._watched = False  # whoever comes next tries again
            raise

    def _watch(self) -> None:
        """Give the places of the overdue to others, as long as somebody waits."""
        while True:
            time.sleep(self._overdue_seconds)
            with self._guard:
                if not self._waiting:
                    self._watched = False
                    return
                latest = time.monotonic() - self._overdue_seconds
                self._holders = [place for place in self._holders if place.since > latest]
                self._fill()

    def _forget(self) -> None:
        self._guard = threading.Lock()
        self._holders = []
        self._waiting = deque()
        self._watched = False
        self._here = threading.local()


def _places() -> int:
    has_lock: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    return 1 if has_lock else os.cpu_count() or 1


compute_queue = ComputeQueue(_places())
"""For all turns of this process, whichever agent takes them."""
