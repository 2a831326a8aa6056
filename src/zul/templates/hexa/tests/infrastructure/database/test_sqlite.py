import gc
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig

from src.application.errors import ConversationBusyError
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.file_locks import close_file_locks, open_file_locks
from src.infrastructure.database.stores import close_stores, get_stores
from tests.contracts.examples import SUCCEEDED, an_action
from tests.infrastructure.database.conftest import UseDatabase

OPEN_FILES = Path("/proc/self/fd")
NOTHING_STORED: RunnableConfig = {"configurable": {"thread_id": "never seen"}}


@pytest.fixture
def file(use_database: UseDatabase, tmp_path: Path) -> Path:
    path = tmp_path / "data" / "app.db"
    use_database(f"sqlite:///{path}")
    return path


def test_the_file_is_in_write_ahead_mode(file: Path) -> None:
    get_stores("chat")

    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_writers_wait_for_a_writer_of_another_process(file: Path) -> None:
    ledger = get_stores("chat").ledger
    other = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.5, lambda: other.execute("COMMIT")).start()

    started = time.monotonic()
    assert ledger.claim(an_action()).granted
    assert time.monotonic() - started > 0.3
    other.close()


def test_many_threads_use_the_stores_of_three_agents_at_once(file: Path) -> None:
    def work(number: int) -> bool:
        scope = ("chat", "hitl", "subagents")[number % 3]
        stores, saver = get_stores(scope), get_checkpointer(scope)
        with stores.lock.hold(f"t{number}"):
            assert saver.get_tuple({"configurable": {"thread_id": f"t{number}"}}) is None
            granted = stores.ledger.claim(an_action(f"key-{number}")).granted
            stores.ledger.record(f"key-{number}", SUCCEEDED)
            return granted

    with ThreadPoolExecutor(50) as threads:
        assert all(threads.map(work, range(300)))


def test_a_process_has_one_object_for_a_lock_file(tmp_path: Path) -> None:
    path = tmp_path / "app.db.lock"
    (tmp_path / "link").symlink_to(tmp_path)

    assert open_file_locks(path) is open_file_locks(tmp_path / "link" / "app.db.lock")
    close_file_locks(path)
    close_file_locks(path)


def test_closing_leaves_a_held_conversation_locked(file: Path) -> None:
    with get_stores("chat").lock.hold("t1"):
        close_stores()
        with (
            pytest.raises(ConversationBusyError),
            get_stores("chat").lock.hold("t1", wait_seconds=0),
        ):
            pass
    with get_stores("chat").lock.hold("t1", wait_seconds=0):
        pass


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="open files are counted on Linux only")
def test_a_checkpointer_that_is_dropped_closes_its_connection(file: Path) -> None:
    open_files = []
    for _ in range(3):
        for _ in range(10):
            get_checkpointer().with_allowlist([("a", "b")]).get_tuple(NOTHING_STORED)
        gc.collect()
        open_files.append(len(list(OPEN_FILES.iterdir())))

    # SQLite closes some files later, and uses them again until then.
    assert open_files[-1] < open_files[0] + 10
