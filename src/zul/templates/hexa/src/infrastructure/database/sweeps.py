import threading
from datetime import datetime, timedelta

_SWEEPS_PER_RETENTION = 24


class SweepSchedule:
    """Says when expired rows are worth removing, so that not every write pays for it.

    Args:
        retention: how long a row is kept. Rows go at most a twenty-fourth of it too late, in a
            process that writes.
    """

    def __init__(self, retention: timedelta) -> None:
        self._interval = retention / _SWEEPS_PER_RETENTION
        self._next: datetime | None = None
        self._guard = threading.Lock()

    def is_due(self, now: datetime) -> bool:
        """Return ``True`` to one caller of an interval: that one sweeps."""
        with self._guard:
            due = self._next is None or now >= self._next
            if due:
                self._next = now + self._interval
            return due
