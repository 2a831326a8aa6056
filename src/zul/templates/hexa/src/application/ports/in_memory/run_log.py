import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from typing_extensions import override

from src.application.ports.run_log import Run, RunEvent, RunLog


@dataclass
class _KeptRun:
    run: Run
    started_at: float
    events: list[RunEvent] = field(default_factory=list)


class InMemoryRunLog(RunLog):
    """Keeps the events of runs for a while; the oldest runs go first."""

    def __init__(self, retention_seconds: float = 3_600.0) -> None:
        self._retention_seconds = retention_seconds
        self._kept: dict[str, _KeptRun] = {}
        self._guard = threading.Lock()

    @override
    def start(self, run: Run) -> bool:
        now = time.monotonic()
        with self._guard:
            self._forget_before(now - self._retention_seconds)
            if run.run_id in self._kept:
                return False
            self._kept[run.run_id] = _KeptRun(run, now)
            return True

    def _forget_before(self, moment: float) -> None:
        for run_id, kept in list(self._kept.items()):
            if kept.started_at >= moment:
                break
            if kept.run.finished:
                del self._kept[run_id]

    @override
    def find(self, run_id: str) -> Run | None:
        with self._guard:
            kept = self._kept.get(run_id)
            return kept.run if kept else None

    @override
    def running(self, thread_id: str) -> str | None:
        with self._guard:
            return next(
                (
                    kept.run.run_id
                    for kept in reversed(self._kept.values())
                    if kept.run.thread_id == thread_id and not kept.run.finished
                ),
                None,
            )

    @override
    def append(self, run_id: str, events: Sequence[RunEvent]) -> None:
        with self._guard:
            if run_id in self._kept:
                self._kept[run_id].events.extend(events)

    @override
    def discard(self, run_id: str) -> None:
        with self._guard:
            self._kept.pop(run_id, None)

    @override
    def finish(self, run_id: str) -> None:
        with self._guard:
            if run_id in self._kept:
                self._kept[run_id].run = replace(self._kept[run_id].run, finished=True)

    @override
    def read(self, run_id: str, after: int) -> list[RunEvent]:
        with self._guard:
            kept = self._kept.get(run_id)
            return [event for event in kept.events if event.number > after] if kept else []

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._kept = {
                run_id: kept
                for run_id, kept in self._kept.items()
                if kept.run.thread_id != thread_id
            }
