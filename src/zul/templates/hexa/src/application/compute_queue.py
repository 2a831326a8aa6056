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
from contextlib import contextmanager

from src.application.daemon_threads import DaemonThreads

OVERDUE_SECONDS = 0.02
"""Whoever has a place for longer is not computing, or on a machine that has no time for it."""

_threads = DaemonThreads("compute-queue")


class _Place:
    """A turn's place, in the queue and at its head."""

    __slots__ = ("granted", "since")

    def __init__(self) -> None:
        self.granted = threading.Lock()
        self.granted.acquire()
        self.since = 0.0


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

    @property
    def _place(self) -> _Place | None:
        return getattr(self._here, "place", None)

    def _enter(self) -> None:
        place = self._here.place = _Place()
        with self._guard:
            self._waiting.append(place)
            self._fill()
            starts_watch = bool(self._waiting) and not self._watched
            self._watched = self._watched or starts_watch
        if starts_watch:
            _threads.submit(self._watch)
        place.granted.acquire()

    def _leave(self) -> None:
        place, self._here.place = self._place, None
        with self._guard:
            # In neither when it was overdue; in the second when it was interrupted.
            for places in (self._holders, self._waiting):
                if place is not None and place in places:
                    places.remove(place)
            self._fill()

    def _fill(self) -> None:
        while self._waiting and len(self._holders) < self._places:
            place = self._waiting.popleft()
            place.since = time.monotonic()
            self._holders.append(place)
            place.granted.release()

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
