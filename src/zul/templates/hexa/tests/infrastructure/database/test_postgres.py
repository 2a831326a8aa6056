import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from src.application.errors import StoreError
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.stores import get_stores
from tests.contracts.examples import SUCCEEDED, an_action
from tests.infrastructure.database.conftest import UseDatabase
from tests.support.postgres import PostgresServer

THREAD: RunnableConfig = {"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}


@pytest.fixture
def database(use_database: UseDatabase, postgres_url: str) -> str:
    """Give the name of the database in use."""
    use_database(postgres_url)
    return urlsplit(postgres_url).path.removeprefix("/")


def use_everything(scope: str = "chat", thread_id: str = "t1") -> None:
    stores, saver = get_stores(scope), get_checkpointer(scope)
    config: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    with stores.lock.hold(thread_id):
        saver.put(config, empty_checkpoint(), {}, {})
        assert saver.get_tuple(config) is not None
        stores.ledger.claim(an_action(f"{scope} {thread_id}"))
        stores.ledger.record(f"{scope} {thread_id}", SUCCEEDED)


def end_sessions(server: PostgresServer, database: str) -> int:
    return len(
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "  # noqa: S608 - our name
            f"WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        )
    )


def sessions(server: PostgresServer, database: str) -> int:
    found = server.execute(
        f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}'"  # noqa: S608
    )
    return int(found[0][0])


def test_the_next_call_works_after_the_server_ended_every_session(
    postgres_server: PostgresServer, database: str
) -> None:
    saver = get_checkpointer()
    for _ in range(3):
        use_everything()
        assert end_sessions(postgres_server, database) == 2
        assert saver.get_tuple(THREAD) is not None
        use_everything()


def test_the_next_call_works_after_the_server_restarted(
    postgres_server: PostgresServer, database: str
) -> None:
    if postgres_server.restart is None:
        pytest.skip("the server of TEST_DATABASE_URL is not ours to restart")
    saver = get_checkpointer()
    use_everything()
    postgres_server.restart()

    assert saver.get_tuple(THREAD) is not None
    use_everything()


def test_a_lock_that_was_lost_meanwhile_is_noticed(
    postgres_server: PostgresServer, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    lock = get_stores("chat").lock
    with lock.hold("t1"), lock.hold("t2"):
        end_sessions(postgres_server, database)
    assert "without its lock" in caplog.text

    caplog.clear()
    with lock.hold("t1"):
        end_sessions(postgres_server, database)
        with lock.hold("t2"):
            caplog.clear()
    assert "without its lock" in caplog.text

    caplog.clear()
    with lock.hold("t1"):
        pass
    assert caplog.text == ""


def test_five_hundred_held_conversations_need_one_connection(
    postgres_server: PostgresServer, database: str
) -> None:
    lock = get_stores("chat").lock
    before = sessions(postgres_server, database)
    with ExitStack() as held:
        for number in range(500):
            held.enter_context(lock.hold(f"t{number}", wait_seconds=0))
        assert sessions(postgres_server, database) <= before + 1


def test_held_conversations_do_not_hold_up_the_cleaning_of_tables(
    postgres_server: PostgresServer, database: str
) -> None:
    with get_stores("chat").lock.hold("t1"):
        [holder] = postgres_server.execute(
            "SELECT backend_xid, backend_xmin FROM pg_stat_activity "  # noqa: S608 - our name
            f"WHERE datname = '{database}' AND state = 'idle in transaction'"
        )
        assert holder == (None, None)
    assert not postgres_server.execute(
        "SELECT 1 FROM pg_stat_activity "  # noqa: S608 - our name
        f"WHERE datname = '{database}' AND state = 'idle in transaction'"
    )


def test_no_lock_is_left_behind(postgres_server: PostgresServer, database: str) -> None:
    with ThreadPoolExecutor(20) as threads:
        list(threads.map(lambda number: use_everything("chat", f"t{number % 5}"), range(100)))

    assert postgres_server.execute("SELECT * FROM pg_locks WHERE locktype = 'advisory'") == []


def test_many_threads_share_few_connections(
    postgres_server: PostgresServer, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_POOL_SIZE", "3")
    with ThreadPoolExecutor(50) as threads:
        list(threads.map(lambda number: use_everything("hitl", f"t{number}"), range(150)))

    assert sessions(postgres_server, database) <= 2 * 3 + 1


def test_a_server_that_is_gone_is_a_store_error(
    use_database: UseDatabase, postgres_server: PostgresServer
) -> None:
    with postgres_server.database() as name:
        use_database(postgres_server.url(name))
        stores, saver = get_stores("chat"), get_checkpointer()
        use_everything()
    # The database is dropped now, and whoever connects is refused.
    with pytest.raises(StoreError), stores.lock.hold("t1"):
        pass
    with pytest.raises(StoreError):
        stores.ledger.claim(an_action())
    with pytest.raises(StoreError):
        stores.reviews.history("t1")
    with pytest.raises(StoreError):
        stores.answers.find("k1")
    assert saver is not None


def test_no_password_is_logged(
    use_database: UseDatabase, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    parts = urlsplit(postgres_url)
    host = parts.netloc.rpartition("@")[2]
    use_database(parts._replace(netloc=f"nobody:s3cret@{host}").geturl())
    with pytest.raises(StoreError) as failure:
        get_stores("chat")

    cause = failure.value.__cause__
    assert isinstance(getattr(cause, "orig", cause), psycopg.Error)
    assert "s3cret" not in f"{cause!r} {cause} {caplog.text}"
