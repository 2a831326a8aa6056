"""A server that hangs, or a lock in it, holds a caller for a bounded time."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from sqlalchemy import text

from src.application.errors import StoreError
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.advisory_locks import AdvisoryLocks
from src.infrastructure.database.connections import get_database
from src.infrastructure.database.postgres import PostgresDatabase
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.stores import get_stores
from tests.contracts.examples import SUCCEEDED, an_action
from tests.infrastructure.database.conftest import UseDatabase
from tests.infrastructure.database.test_postgres import end_sessions
from tests.support.postgres import PostgresServer

SECONDS = 0.5
UNTIL_GIVEN_UP = 9.0  # the limit, what the server has beyond it, connecting anew
THREAD: RunnableConfig = {"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}


@pytest.fixture
def url(use_database: UseDatabase, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DATABASE_TIMEOUT_SECONDS", str(SECONDS))
    use_database(postgres_url)
    return postgres_url


def seconds_of(function: Callable[[], Any]) -> float:
    begin = time.monotonic()
    function()
    return time.monotonic() - begin


def fails(function: Callable[[], Any]) -> None:
    with pytest.raises(StoreError):
        function()


@contextmanager
def stopped(server: PostgresServer, url: str) -> Iterator[None]:
    """Stop the server's sessions of this database, as a machine does that freezes."""
    if server.restart is None or sys.platform == "win32":
        pytest.skip("the processes of the server of TEST_DATABASE_URL are not ours to stop")
    name = urlsplit(url).path.removeprefix("/")
    rows = server.execute(
        f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608
        " AND backend_type = 'client backend'"
    )
    assert rows
    # A session that stays stopped would hold up every DROP DATABASE of the server.
    with ExitStack() as stack:
        for (pid,) in rows:
            stack.callback(tell, pid, signal.SIGCONT)
            tell(pid, signal.SIGSTOP)
        yield


def tell(pid: int, signal_number: int) -> None:
    with suppress(ProcessLookupError):  # the session has ended meanwhile
        os.kill(pid, signal_number)


def statements() -> Statements:
    database = get_database()
    assert database is not None
    return Statements(database.engine)


@pytest.mark.usefixtures("url")
def test_the_server_ends_a_statement_that_takes_too_long() -> None:
    seconds = seconds_of(lambda: fails(lambda: statements().rows(text("SELECT pg_sleep(20)"), {})))

    assert SECONDS <= seconds < SECONDS + 2
    assert statements().rows(text("SELECT 1"), {})[0][0] == 1


def test_a_statement_does_not_wait_for_ever_for_a_row_that_somebody_holds(url: str) -> None:
    ledger = get_stores("chat").ledger
    ledger.claim(an_action("key-1"))
    with psycopg.connect(url) as other:
        other.execute("SELECT * FROM agent_actions FOR UPDATE")

        assert seconds_of(lambda: fails(lambda: ledger.record("key-1", SUCCEEDED))) < SECONDS + 2
        other.rollback()

    ledger.record("key-1", SUCCEEDED)
    assert ledger.claim(an_action("key-1")).outcome == SUCCEEDED


def test_a_session_that_does_not_answer_is_replaced(
    postgres_server: PostgresServer, url: str
) -> None:
    stores, saver = get_stores("chat"), get_checkpointer("chat")
    saver.put(THREAD, empty_checkpoint(), {}, {})
    for call in (
        lambda: stores.ledger.claim(an_action()),
        lambda: stores.runs.find("r1"),
        lambda: saver.put(THREAD, empty_checkpoint(), {}, {}),
    ):
        with stopped(postgres_server, url):
            # What opens the connection anew succeeds, as the rest of the server lives.
            assert seconds_of(call) < UNTIL_GIVEN_UP
        stores.runs.find("r1")


def test_an_answer_that_fails_to_come_is_noticed_in_a_statement_too(
    postgres_server: PostgresServer, url: str
) -> None:
    with ThreadPoolExecutor(1) as another:
        waiting = another.submit(statements().rows, text("SELECT pg_sleep(0.4)"), {})
        time.sleep(0.2)
        with stopped(postgres_server, url):
            assert seconds_of(lambda: fails(waiting.result)) < UNTIL_GIVEN_UP


def test_a_stalled_lock_call_ends_in_time(postgres_server: PostgresServer, url: str) -> None:
    lock = get_stores("chat").lock
    with lock.hold("t0"):
        pass

    def hold() -> None:
        with lock.hold("t1", wait_seconds=0):
            pass

    with stopped(postgres_server, url):
        assert seconds_of(hold) < UNTIL_GIVEN_UP  # on a new connection


def test_while_one_lock_call_stalls_the_others_fail_within_their_own_patience(
    postgres_server: PostgresServer, use_database: UseDatabase, postgres_url: str
) -> None:
    use_database(postgres_url)  # with the limits of every day, which are longer
    lock = get_stores("chat").lock
    with lock.hold("t0"):
        pass
    first_is_over = threading.Event()

    def hold(thread_id: str) -> None:
        with lock.hold(thread_id, wait_seconds=0):
            pass

    def hold_first() -> None:
        try:
            hold("first")
        finally:
            first_is_over.set()

    with ThreadPoolExecutor(9) as threads, stopped(postgres_server, postgres_url):
        first = threads.submit(hold_first)
        time.sleep(0.3)
        others = [
            threads.submit(seconds_of, partial(fails, partial(hold, f"t{n}"))) for n in range(8)
        ]
        assert all(other.result() < UNTIL_GIVEN_UP for other in others)
        assert not first_is_over.is_set()
    first.result()


def test_a_lock_that_went_with_its_connection_waits_for_no_new_one(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    first, server_is_back = threading.Event(), threading.Event()

    def connect() -> psycopg.Connection[tuple[Any, ...]]:
        if not first.is_set():
            first.set()
        else:
            assert server_is_back.wait(timeout=10)
        return psycopg.connect(postgres_url, autocommit=True)

    locks = AdvisoryLocks(connect)
    assert locks.try_acquire(1, patience_seconds=1)
    end_sessions(postgres_server, urlsplit(postgres_url).path.removeprefix("/"))
    with ThreadPoolExecutor(1) as threads:
        another = threads.submit(locks.try_acquire, 2, patience_seconds=1)
        time.sleep(0.3)
        assert seconds_of(lambda: locks.release(1)) < 5
        assert not another.done()
        server_is_back.set()
        assert another.result()
    locks.close()


@pytest.mark.usefixtures("url")
def test_changes_of_the_schema_take_the_time_that_they_need() -> None:
    database = get_database()
    assert isinstance(database, PostgresDatabase)

    with database.ddl_transaction() as connection:
        connection.execute(text(f"SELECT pg_sleep({SECONDS * 3})"))
    with pytest.raises(StoreError):
        Statements(database.engine).rows(text("SELECT pg_sleep(20)"), {})


@pytest.mark.usefixtures("url")
def test_a_command_may_take_the_time_that_it_needs() -> None:
    database = get_database(limited=False)
    assert database is not None

    assert Statements(database.engine).rows(text(f"SELECT pg_sleep({SECONDS * 3})"), {})


def shown(name: str) -> str:
    return str(statements().rows(text(f"SHOW {name}"), {})[0][0])


def test_the_defaults_are_known_to_the_server(use_database: UseDatabase, postgres_url: str) -> None:
    use_database(postgres_url)

    assert (shown("statement_timeout"), shown("lock_timeout")) == ("30s", "10s")


def test_what_the_address_says_goes_first(use_database: UseDatabase, postgres_url: str) -> None:
    use_database(f"{postgres_url}?options=-c%20statement_timeout%3D7s%20-c%20work_mem%3D1MB")

    assert [shown(name) for name in ("statement_timeout", "lock_timeout", "work_mem")] == [
        "7s",
        "10s",
        "1MB",
    ]


def test_zero_means_no_limit(
    use_database: UseDatabase, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_TIMEOUT_SECONDS", "0")
    use_database(postgres_url)

    assert (shown("statement_timeout"), shown("lock_timeout")) == ("0", "0")
