import os
import signal
import sys
import threading
import time

import pytest

from src.application import daemon_threads
from src.application.daemon_threads import DaemonThreads


def test_a_thread_is_used_again() -> None:
    threads = DaemonThreads("test")
    used = set()
    for _ in range(20):
        used.add(threads.submit(threading.get_ident).result(timeout=10))
        time.sleep(0.01)

    assert len(used) == 1


def test_work_never_waits_for_other_work() -> None:
    threads = DaemonThreads("test")
    together = threading.Barrier(50)

    futures = [threads.submit(lambda: together.wait(timeout=10)) for _ in range(50)]

    assert sorted(future.result(timeout=10) for future in futures) == list(range(50))


def test_an_idle_thread_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_threads, "_IDLE_SECONDS", 0.05)
    threads = DaemonThreads("test")
    thread = threads.submit(threading.current_thread).result(timeout=10)

    thread.join(timeout=10)

    assert not thread.is_alive()
    assert threads.submit(threading.current_thread).result(timeout=10) is not thread


def test_a_failure_is_the_callers() -> None:
    def leave() -> None:
        raise SystemExit(3)

    threads = DaemonThreads("test")
    with pytest.raises(SystemExit):
        threads.submit(leave).result(timeout=10)

    assert threads.submit(lambda: 1).result(timeout=10) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_worker_starts_threads_of_its_own() -> None:
    threads = DaemonThreads("test")
    assert threads.submit(lambda: 1).result(timeout=10) == 1
    time.sleep(0.01)

    if (child := os.fork()) == 0:
        signal.alarm(10)
        os._exit(threads.submit(lambda: 0).result())

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
