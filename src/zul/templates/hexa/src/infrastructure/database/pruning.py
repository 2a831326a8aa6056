"""Erases what nobody uses any more.

- Conversations that rested longer than N days go, from every table. One with an action that waits
  for a person, with an accepted decision that is not carried out or with a running action stays,
  however long it rests.
- Kept answers to idempotency keys and streams of turns go when their own time is over.
- It runs beside the service; a conversation in use is passed over.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import bindparam, delete, func, select, tuple_
from sqlalchemy.exc import SQLAlchemyError

from src.application.errors import StoreError
from src.infrastructure.database import answer_store, run_log
from src.infrastructure.database.database import Database
from src.infrastructure.database.idle_conversations import IdleConversations
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.tables import answers, run_events, runs

DAY_SECONDS = 86_400

_EXPIRED_ANSWERS = answers.c.saved_at <= bindparam("answers_before")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """How many conversations, kept answers and streams of turns were erased, or would be."""

    conversations: int
    answers: int
    runs: int


def prune(database: Database, idle_days: int, *, dry_run: bool = False) -> Pruned:
    """Erase what is over and return how much it was, or with ``dry_run`` would be.

    Raises:
        StoreError: the database did not answer.
    """
    failures: tuple[type[Exception], ...] = (*database.driver_errors, SQLAlchemyError)
    try:
        erased = _erase_idle(database, idle_days, dry_run=dry_run)
    except failures as error:
        raise StoreError from error
    return Pruned(conversations=erased, **_sweep(database, dry_run=dry_run))


def _erase_idle(database: Database, idle_days: int, *, dry_run: bool) -> int:
    now = int(time.time())
    idle = IdleConversations(database, before=now - idle_days * DAY_SECONDS)
    if not dry_run:
        idle.start_clocks(now)
    return sum(dry_run or idle.erase(each) for each in idle)


def _sweep(database: Database, *, dry_run: bool) -> dict[str, int]:
    statements = Statements(database.engine)
    now = datetime.now(UTC)
    moments = {
        "answers_before": now - timedelta(seconds=answer_store.DEFAULT_RETENTION_SECONDS),
        "before": now - timedelta(seconds=run_log.DEFAULT_RETENTION_SECONDS),
        "dead_before": now - run_log.DEAD_AFTER,
    }
    counts = {}
    tables = (("answers", answers, _EXPIRED_ANSWERS), ("runs", runs, run_log.RUN_IS_OVER))
    for name, table, over in tables:
        query = select(func.count()).select_from(table).where(over)
        counts[name] = int(statements.rows(query, moments)[0][0])
    if not dry_run:
        old_runs = select(runs.c.scope, runs.c.run_id).where(run_log.RUN_IS_OVER)
        statements.change(delete(answers).where(_EXPIRED_ANSWERS), moments)
        of_old_runs = tuple_(run_events.c.scope, run_events.c.run_id).in_(old_runs)
        statements.change(delete(run_events).where(of_old_runs), moments)
        statements.change(delete(runs).where(run_log.RUN_IS_OVER), moments)
    return counts
