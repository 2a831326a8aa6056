import threading
from dataclasses import replace
from datetime import UTC, datetime

from typing_extensions import override

from src.application.ports.action_ledger import (
    Action,
    ActionLedger,
    ActionOutcome,
    ActionRecord,
    ActionStatus,
    Claim,
)


class InMemoryActionLedger(ActionLedger):
    """Keeps the ledger until the process ends."""

    def __init__(self) -> None:
        self._records: dict[str, ActionRecord] = {}
        self._guard = threading.Lock()

    @override
    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        with self._guard:
            record = self._records.get(action.key)
            if record is None:
                self._records[action.key] = ActionRecord(
                    action=action,
                    status=ActionStatus.RUNNING,
                    outcome=None,
                    claimed_at=datetime.now(UTC),
                    finished_at=None,
                )
                return Claim(granted=True)
            if record.outcome is not None:
                return Claim(granted=False, outcome=record.outcome)
            if repeatable:
                return Claim(granted=True)
            self._records[action.key] = replace(record, status=ActionStatus.UNKNOWN)
            return Claim(granted=False)

    @override
    def give_up(self, key: str) -> None:
        with self._guard:
            record = self._records.get(key)
            if record is not None and record.outcome is None:
                self._records[key] = replace(record, status=ActionStatus.UNKNOWN)

    @override
    def release(self, key: str) -> None:
        with self._guard:
            record = self._records.get(key)
            if record is not None and record.outcome is None:
                del self._records[key]

    @override
    def record(self, key: str, outcome: ActionOutcome) -> None:
        with self._guard:
            record = self._records.get(key)
            if record is not None and record.outcome is None:
                self._records[key] = replace(
                    record,
                    status=outcome.status,
                    outcome=outcome,
                    finished_at=datetime.now(UTC),
                )

    @override
    def records(self, thread_id: str) -> list[ActionRecord]:
        with self._guard:
            return [r for r in self._records.values() if r.action.thread_id == thread_id]

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._records = {
                key: record
                for key, record in self._records.items()
                if record.action.thread_id != thread_id
            }
