"""A process that is measured, told what to do line by line and answering in JSON."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.http_client import until_healthy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.settings import Run


class SubjectError(RuntimeError):
    """A measured process ended, or answered with a failure."""


class Subject:
    """A running subject."""

    def __init__(self, process: subprocess.Popen[str], log: Any) -> None:
        self._process = process
        self._log = log

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send one order and wait for its answer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise SubjectError(do)
        stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise SubjectError(f"{do}: the process ended\n{_end_of(self._log)}")
        answer: dict[str, Any] = json.loads(line)
        if "failure" in answer:
            raise SubjectError(f"{do}: {answer['failure']}")
        return answer

    def cpu_seconds(self) -> float:
        """Return the CPU time that the process has used so far, in all its threads."""
        return float(self.ask("cpu")["seconds"])

    def wait_for(self, port: int) -> None:
        """Wait until the subject serves ``/health``.

        Raises:
            SubjectError: it ended before, or does not answer.
        """
        _wait_for(self._process, self._log, port, "/health")


@contextmanager
def started(
    run: Run, module: str, *arguments: str, environment: dict[str, str] | None = None
) -> Iterator[Subject]:
    """Start a subject in a folder of its own and end it afterwards."""
    log_path = run.folder / f"{module.rpartition('.')[2]}-{free_port()}.log"
    with log_path.open("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [run.python, "-m", module, *arguments],
            cwd=run.folder,
            env=run.environment(**(environment or {})),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            yield Subject(process, log)
        finally:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def listening(
    run: Run,
    command: Sequence[str],
    port: int,
    *,
    path: str = "/health",
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[int]:
    """Start a server that takes no orders, wait until it answers, and give its process group.

    Raises:
        SubjectError: it ended before, or does not answer.
    """
    with (run.folder / f"server-{port}.log").open("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            command,
            cwd=folder or run.folder,
            env=run.environment(**(environment or {})),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            text=True,
            start_new_session=True,
        )
        try:
            _wait_for(process, log, port, path)
            yield process.pid
        finally:
            _end_group(process)


def _wait_for(process: subprocess.Popen[str], log: Any, port: int, path: str) -> None:
    try:
        asyncio.run(until_healthy(port, path, lambda: process.poll() is not None))
    except TimeoutError:
        state = "does not answer" if process.poll() is None else "ended before it answered"
        raise SubjectError(f"{path}: the server {state}\n{_end_of(log)}") from None


def _end_group(process: subprocess.Popen[str]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(20)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
        return


def _end_of(log: Any) -> str:
    log.seek(0)
    return str(log.read()[-2_000:])


def free_port() -> int:
    """Return a port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
