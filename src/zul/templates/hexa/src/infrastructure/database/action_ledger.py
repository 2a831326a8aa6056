from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine, Row, bindparam, delete, select, update
from typing_extensions import override

from src.application.ports.action_ledger import (
    Action,
    ActionLedger,
    ActionOutcome,
    ActionRecord,
    ActionStatus,
    Claim,
)
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.tables import actions

_IN_SCOPE = actions.c.scope == bindparam("in_scope")
_OF_THREAD = (_IN_SCOPE, actions.c.thread_id == bindparam("of_thread"))
_OF_KEY = (_IN_SCOPE, actions.c.key == bindparam("of_key"))
_WITHOUT_OUTCOME = actions.c.outcome.is_(None)

_NOTE_UNKNOWN = (
    update(actions).where(*_OF_KEY, _WITHOUT_OUTCOME).values(status=ActionStatus.UNKNOWN.value)
)
_RELEASE = delete(actions).where(*_OF_KEY, _WITHOUT_OUTCOME)
_OUTCOME = select(actions.c.status, actions.c.outcome).where(*_OF_KEY)
_RECORD = (
    update(actions)
    .where(*_OF_KEY, _WITHOUT_OUTCOME)
    .values(
        status=bindparam("status"),
        outcome=bindparam("outcome"),
        finished_at=bindparam("finished_at"),
    )
)
_RECORDS = select(actions).where(*_OF_THREAD).order_by(actions.c.id)
_ERASE = delete(actions).where(*_OF_THREAD)


def _to_outcome(status: str, stored: dict[str, Any] | None) -> ActionOutcome | None:
    if stored is None:
        return None
    return ActionOutcome(
        status=ActionStatus(status), content=stored["content"], raised=stored["raised"]
    )


def _to_record(row: Row[Any]) -> ActionRecord:
    return ActionRecord(
        action=Action(
            key=row.key,
            thread_id=row.thread_id,
            tool_call_id=row.tool_call_id,
            name=row.name,
            args=row.args,
        ),
        status=ActionStatus(row.status),
        outcome=_to_outcome(row.status, row.outcome),
        claimed_at=row.claimed_at,
        finished_at=row.finished_at,
    )


class DatabaseActionLedger(ActionLedger):
    """Keeps the ledger in the database; the unique key alone decides who is granted a claim."""

    def __init__(self, engine: Engine, scope: str) -> None:
        self._statements = Statements(engine)
        self._scope = scope
        self._claim = self._statements.insert(actions).on_conflict_do_nothing()

    @override
    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        if self._statements.change(self._claim, self._row(action)) == 1:
            return Claim(granted=True)
        key = self._key(action.key)
        if not repeatable:
            self.give_up(action.key)
        rows = self._statements.rows(_OUTCOME, key)
        outcome = _to_outcome(rows[0].status, rows[0].outcome) if rows else None
        return Claim(granted=repeatable and outcome is None, outcome=outcome)

    @override
    def give_up(self, key: str) -> None:
        self._statements.change(_NOTE_UNKNOWN, self._key(key))

    @override
    def release(self, key: str) -> None:
        self._statements.change(_RELEASE, self._key(key))

    @override
    def record(self, key: str, outcome: ActionOutcome) -> None:
        self._statements.change(
            _RECORD,
            {
                **self._key(key),
                "status": outcome.status.value,
                "outcome": {"content": outcome.content, "raised": outcome.raised},
                "finished_at": datetime.now(UTC),
            },
        )

    @override
    def records(self, thread_id: str) -> list[ActionRecord]:
        of_thread = {"in_scope": self._scope, "of_thread": thread_id}
        return [_to_record(row) for row in self._statements.rows(_RECORDS, of_thread)]

    @override
    def erase(self, thread_id: str) -> None:
        self._statements.change(_ERASE, {"in_scope": self._scope, "of_thread": thread_id})

    def _key(self, key: str) -> dict[str, Any]:
        return {"in_scope": self._scope, "of_key": key}

    def _row(self, action: Action) -> dict[str, Any]:
        return {
            "scope": self._scope,
            "key": action.key,
            "thread_id": action.thread_id,
            "tool_call_id": action.tool_call_id,
            "name": action.name,
            "args": action.args,
            "status": ActionStatus.RUNNING.value,
            "claimed_at": datetime.now(UTC),
        }
