from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, bindparam, delete, select
from typing_extensions import override

from src.application.ports.answer_store import AnswerStore, StoredAnswer
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.sweeps import SweepSchedule
from src.infrastructure.database.tables import answers

DEFAULT_RETENTION_SECONDS = 86_400.0

_EXPIRED = answers.c.saved_at <= bindparam("expired_before")
_FIND = select(answers).where(
    answers.c.scope == bindparam("in_scope"), answers.c.key == bindparam("of_key"), ~_EXPIRED
)
_SWEEP = delete(answers).where(_EXPIRED)
_ERASE = delete(answers).where(
    answers.c.scope == bindparam("in_scope"), answers.c.thread_id == bindparam("of_thread")
)
# Only successful answers are kept; the column stays for the version before this one.
_STATUS = 200
_REPLACED = ("fingerprint", "thread_id", "body", "saved_at")


class DatabaseAnswerStore(AnswerStore):
    """Keeps answers in the database; now and then a save removes the expired ones of all scopes."""

    def __init__(
        self, engine: Engine, scope: str, retention_seconds: float = DEFAULT_RETENTION_SECONDS
    ) -> None:
        self._statements = Statements(engine)
        self._scope = scope
        self._retention = timedelta(seconds=retention_seconds)
        self._sweeps = SweepSchedule(self._retention)
        insert = self._statements.insert(answers)
        self._save = insert.on_conflict_do_update(
            index_elements=["scope", "key"],
            set_={name: insert.excluded[name] for name in _REPLACED},
            where=_EXPIRED,
        )

    @override
    def find(self, key: str) -> StoredAnswer | None:
        limit = datetime.now(UTC) - self._retention
        rows = self._statements.rows(
            _FIND, {"in_scope": self._scope, "of_key": key, "expired_before": limit}
        )
        return next(
            (
                StoredAnswer(
                    key=row.key,
                    fingerprint=row.fingerprint,
                    thread_id=row.thread_id,
                    body=row.body,
                )
                for row in rows
            ),
            None,
        )

    @override
    def save(self, answer: StoredAnswer) -> None:
        now = datetime.now(UTC)
        row = {
            "scope": self._scope,
            "key": answer.key,
            "fingerprint": answer.fingerprint,
            "thread_id": answer.thread_id,
            "status": _STATUS,
            "body": answer.body,
            "saved_at": now,
            "expired_before": now - self._retention,
        }
        self._statements.change(self._save, row)
        if self._sweeps.is_due(now):
            self._statements.change(_SWEEP, {"expired_before": now - self._retention})

    @override
    def erase(self, thread_id: str) -> None:
        self._statements.change(_ERASE, {"in_scope": self._scope, "of_thread": thread_id})
