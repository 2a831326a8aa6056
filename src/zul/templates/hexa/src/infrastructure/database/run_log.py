from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Engine, bindparam, delete, exists, or_, select, update
from typing_extensions import override

from src.application.ports.run_log import Run, RunEvent, RunLog
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.sweeps import SweepSchedule
from src.infrastructure.database.tables import run_events, runs

DEFAULT_RETENTION_SECONDS = 3_600.0

DEAD_AFTER = timedelta(days=1)
"""A run that died is never finished; this is longer than any turn."""

_THIS_RUN = (runs.c.scope == bindparam("in_scope"), runs.c.run_id == bindparam("of_run"))
_THREAD_RUNS = (runs.c.scope == bindparam("in_scope"), runs.c.thread_id == bindparam("of_thread"))
_FIND = select(runs).where(*_THIS_RUN)
_RUNNING = (
    select(runs.c.run_id).where(*_THREAD_RUNS, ~runs.c.finished).order_by(runs.c.id.desc()).limit(1)
)
_DISCARD = delete(runs).where(*_THIS_RUN)
_FINISH = update(runs).where(*_THIS_RUN).values(finished=True)
_READ = (
    select(run_events.c.events)
    .where(
        run_events.c.scope == bindparam("in_scope"),
        run_events.c.run_id == bindparam("of_run"),
        run_events.c.last_number > bindparam("after"),
    )
    .order_by(run_events.c.last_number)
)
_NEW_EVENTS = {
    "scope": bindparam("in_scope", type_=run_events.c.scope.type),
    "run_id": bindparam("of_run", type_=run_events.c.run_id.type),
    "last_number": bindparam("last_number", type_=run_events.c.last_number.type),
    "events": bindparam("events", type_=run_events.c.events.type),
}
RUN_IS_OVER = (runs.c.started_at < bindparam("before")) & or_(
    runs.c.finished, runs.c.started_at < bindparam("dead_before")
)
_OLD_RUNS = (runs.c.scope == bindparam("in_scope"), RUN_IS_OVER)


def _events_of(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return run_events.c.run_id.in_(select(runs.c.run_id).where(*conditions))


class DatabaseRunLog(RunLog):
    """Keeps the events of runs in the database; now and then a start removes the old ones."""

    def __init__(
        self, engine: Engine, scope: str, retention_seconds: float = DEFAULT_RETENTION_SECONDS
    ) -> None:
        self._statements = Statements(engine)
        self._scope = scope
        self._retention = timedelta(seconds=retention_seconds)
        self._sweeps = SweepSchedule(self._retention)
        self._start = self._statements.insert(runs).on_conflict_do_nothing(
            index_elements=["scope", "run_id"]
        )
        # Nothing of a run that was erased while it went on may be left behind.
        self._append = self._statements.insert(run_events).from_select(
            list(_NEW_EVENTS), select(*_NEW_EVENTS.values()).where(exists().where(*_THIS_RUN))
        )
        self._forget = (
            delete(run_events).where(
                run_events.c.scope == bindparam("in_scope"), _events_of(*_OLD_RUNS)
            ),
            delete(runs).where(*_OLD_RUNS),
        )
        self._erase = (
            delete(run_events).where(
                run_events.c.scope == bindparam("in_scope"), _events_of(*_THREAD_RUNS)
            ),
            delete(runs).where(*_THREAD_RUNS),
        )

    @override
    def start(self, run: Run) -> bool:
        now = datetime.now(UTC)
        if self._sweeps.is_due(now):
            moments = {"before": now - self._retention, "dead_before": now - DEAD_AFTER}
            for statement in self._forget:
                self._statements.change(statement, {"in_scope": self._scope, **moments})
        row = {"scope": self._scope, "started_at": now, **asdict(run)}
        return self._statements.change(self._start, row) == 1

    @override
    def find(self, run_id: str) -> Run | None:
        rows = self._statements.rows(_FIND, {"in_scope": self._scope, "of_run": run_id})
        return next(
            (
                Run(
                    run_id=row.run_id,
                    thread_id=row.thread_id,
                    fingerprint=row.fingerprint,
                    finished=row.finished,
                )
                for row in rows
            ),
            None,
        )

    @override
    def running(self, thread_id: str) -> str | None:
        rows = self._statements.rows(_RUNNING, {"in_scope": self._scope, "of_thread": thread_id})
        return next((row.run_id for row in rows), None)

    @override
    def append(self, run_id: str, events: Sequence[RunEvent]) -> None:
        row = {
            "in_scope": self._scope,
            "of_run": run_id,
            "last_number": events[-1].number,
            "events": [asdict(event) for event in events],
        }
        self._statements.change(self._append, row)

    @override
    def discard(self, run_id: str) -> None:
        self._statements.change(_DISCARD, {"in_scope": self._scope, "of_run": run_id})

    @override
    def finish(self, run_id: str) -> None:
        self._statements.change(_FINISH, {"in_scope": self._scope, "of_run": run_id})

    @override
    def read(self, run_id: str, after: int) -> list[RunEvent]:
        rows = self._statements.rows(
            _READ, {"in_scope": self._scope, "of_run": run_id, "after": after}
        )
        events = (RunEvent(**event) for row in rows for event in row.events)
        return [event for event in events if event.number > after]

    @override
    def erase(self, thread_id: str) -> None:
        for statement in self._erase:
            self._statements.change(statement, {"in_scope": self._scope, "of_thread": thread_id})
