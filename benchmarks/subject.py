"""A process that is measured, told what to do line by line and answering in JSON."""

from __future__ import annotations

import json
import socket
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            self._log.seek(0)
            raise SubjectError(f"{do}: the process ended\n{self._log.read()[-2_000:]}")
        answer: dict[str, Any] = json.loads(line)
        if "failure" in answer:
            raise SubjectError(f"{do}: {answer['failure']}")
        return answer

    def cpu_seconds(self) -> float:
        """Return the CPU time that the process has used so far, in all its threads."""
        return float(self.ask("cpu")["seconds"])


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


def free_port() -> int:
    """Return a port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
