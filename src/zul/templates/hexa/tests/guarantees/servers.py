"""Real HTTP servers in processes of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.guarantees.journal import Journal

PROJECT = Path(__file__).parents[2]
START_SECONDS = 90.0
_ADDRESS = re.compile(r"running on (http://127\.0\.0\.1:\d+)")


@dataclass(frozen=True)
class Service:
    """A service that runs."""

    url: str
    journal: Journal
    workers: int


def environment_of(database_url: str | None, journal: Path) -> dict[str, str]:
    """Settings come from here alone; a child does not read this machine's."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "JOURNAL": str(journal)}
    environment |= {"LOG_LEVEL": "ERROR", "CONVERSATION_WAIT_SECONDS": "60"}
    environment.pop("DATABASE_URL", None)
    return environment if database_url is None else environment | {"DATABASE_URL": database_url}


@contextmanager
def running(
    database_url: str | None, folder: Path, *, workers: int, **settings: str
) -> Iterator[Service]:
    """Run the service with as many uvicorn workers as asked for, all of them ready."""
    log, journal = folder / "server.log", folder / "journal"
    command = [sys.executable, "-m", "uvicorn", "tests.guarantees.service:app", "--port", "0"]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - the arguments are ours
            [*command, "--host", "127.0.0.1", "--workers", str(workers), "--no-access-log"],
            cwd=folder,
            env=environment_of(database_url, journal) | settings,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        url = _address(process, log)
        _wait_for_workers(url, process, workers, log)
        yield Service(url, Journal(journal), workers)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := _ADDRESS.search(log.read_text(encoding="utf-8")):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"the server did not start:\n{log.read_text(encoding='utf-8')}")


def _wait_for_workers(url: str, process: subprocess.Popen[bytes], workers: int, log: Path) -> None:
    seen: set[str] = set()
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        seen |= _answering(url)
        if len(seen) == workers:
            return
    raise AssertionError(f"{len(seen)} of {workers} workers answer:\n{log.read_text()}")


def _answering(url: str) -> set[str]:
    # Connections are dealt out to the workers as they are opened.
    try:
        return {httpx.get(f"{url}/health", timeout=30).headers["X-Process"]}
    except httpx.TransportError:
        time.sleep(0.1)
        return set()


class Phoenix:
    """A service that can be killed at any moment and serves again at once."""

    def __init__(self, process: subprocess.Popen[str], journal: Journal) -> None:
        self._process = process
        self.journal = journal
        self.url = f"http://127.0.0.1:{self._number()}"
        self._server = 0
        self.rise()

    def rise(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._server = self._number()

    def kill(self) -> None:
        os.kill(self._server, signal.SIGKILL)

    def _number(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def mortal(database_url: str, folder: Path) -> Iterator[Phoenix]:
    """Run one process of the service that is there to be killed."""
    journal = folder / "journal"
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.guarantees.phoenix"],
            cwd=folder,
            env=environment_of(database_url, journal),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        phoenix = Phoenix(process, Journal(journal))
        try:
            yield phoenix
        finally:
            phoenix.kill()
            process.kill()
