import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from src.application.errors import ConversationBusyError
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.conversation_stores import ConversationStores
from tests.contracts.conftest import GetStores
from tests.contracts.examples import ODD_TEXTS

PROJECT = Path(__file__).parents[2]


def is_free(lock: ConversationLock, thread_id: str) -> bool:
    try:
        with lock.hold(thread_id, wait_seconds=0):
            return True
    except ConversationBusyError:
        return False


@contextmanager
def another_process(scope: str, thread_id: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a process that holds the conversation, and kill it at the end."""
    with subprocess.Popen(  # noqa: S603 - the arguments are ours
        [sys.executable, "-m", "tests.contracts.lock_holder", scope, thread_id],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_nobody_else_holds_a_held_conversation(stores: ConversationStores) -> None:
    with stores.lock.hold("t1"):
        assert not is_free(stores.lock, "t1")
    assert is_free(stores.lock, "t1")


def test_an_exception_ends_the_hold(stores: ConversationStores) -> None:
    with pytest.raises(RuntimeError), stores.lock.hold("t1"):
        raise RuntimeError
    assert is_free(stores.lock, "t1")


def test_threads_take_turns(stores: ConversationStores) -> None:
    inside, most = 0, 0

    def visit(_: int) -> None:
        nonlocal inside, most
        with stores.lock.hold("t1"):
            inside += 1
            most = max(most, inside)
            time.sleep(0.002)
            inside -= 1

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(visit, range(64)))
    assert most == 1


def test_other_conversations_do_not_wait(stores: ConversationStores) -> None:
    everybody = threading.Barrier(20, timeout=20)

    def visit(number: int) -> None:
        with stores.lock.hold(f"t{number}", wait_seconds=0):
            everybody.wait()

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(visit, range(20)))


def test_another_agents_conversation_does_not_wait(stores_of: GetStores) -> None:
    with stores_of("chat").lock.hold("t1"):
        assert is_free(stores_of("hitl").lock, "t1")
        assert not is_free(stores_of("chat").lock, "t1")


@pytest.mark.parametrize("wait_seconds", [0, 0.3])
def test_the_wait_has_a_bound(stores: ConversationStores, wait_seconds: float) -> None:
    def waited() -> float:
        started = time.monotonic()
        with (
            pytest.raises(ConversationBusyError),
            stores.lock.hold("t1", wait_seconds=wait_seconds),
        ):
            pass
        return time.monotonic() - started

    with stores.lock.hold("t1"), ThreadPoolExecutor(1) as thread:
        assert wait_seconds <= thread.submit(waited).result() < wait_seconds + 5


def test_the_default_wait_comes_from_the_settings(
    monkeypatch: pytest.MonkeyPatch, stores_of: GetStores
) -> None:
    monkeypatch.setenv("CONVERSATION_WAIT_SECONDS", "0.1")
    lock = stores_of("chat").lock

    with lock.hold("t1"), pytest.raises(ConversationBusyError), lock.hold("t1"):
        pass


@pytest.mark.parametrize("thread_id", ODD_TEXTS)
def test_every_text_names_a_conversation(stores: ConversationStores, thread_id: str) -> None:
    with stores.lock.hold(thread_id):
        assert not is_free(stores.lock, thread_id)
        assert is_free(stores.lock, f"{thread_id}x")


def test_processes_exclude_each_other_until_the_owner_is_killed(
    shared_stores: ConversationStores,
) -> None:
    with another_process("chat", "t1") as owner:
        assert not is_free(shared_stores.lock, "t1")
        assert is_free(shared_stores.lock, "t2")

        with pytest.raises(ConversationBusyError), shared_stores.lock.hold("t1", wait_seconds=0.2):
            pass

        owner.kill()
        with shared_stores.lock.hold("t1", wait_seconds=10):
            pass


def test_a_waiting_process_gets_its_turn_when_the_owner_lets_go(
    shared_stores: ConversationStores,
) -> None:
    with another_process("chat", "t1") as owner:
        assert owner.stdin is not None
        let_go = threading.Timer(0.3, owner.stdin.close)
        started = time.monotonic()
        let_go.start()
        with shared_stores.lock.hold("t1", wait_seconds=20):
            assert time.monotonic() - started > 0.2
        assert owner.wait(10) == 0


def test_the_hold_of_one_conversation_survives_the_end_of_another(
    monkeypatch: pytest.MonkeyPatch, shared_stores: ConversationStores
) -> None:
    monkeypatch.setenv("CONVERSATION_WAIT_SECONDS", "0.1")
    with shared_stores.lock.hold("t1"):
        with shared_stores.lock.hold("t2"):
            pass
        with pytest.raises(AssertionError), another_process("chat", "t1"):
            pass
