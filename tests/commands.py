"""Ways to run `zul` as its users do: as a process, piped or at a terminal."""

import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
ZUL = (sys.executable, "-m", "zul")
TIMEOUT_S = 90


def environ(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCE), **changes}


def run_zul(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run `zul` with its streams piped and nothing on its standard input."""
    options = {"stdin": subprocess.DEVNULL, "encoding": "utf-8", **options}
    if "input" in options:
        del options["stdin"]
    return subprocess.run(
        [*ZUL, *arguments],
        cwd=cwd,
        env=environ(**(env or {})),
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
        **options,
    )


@dataclass(frozen=True)
class Session:
    exit_code: int
    screen: str


def at_terminal(*arguments: str, cwd: Path, answers: dict[str, str]) -> Session:
    """Run `zul` at a terminal; type each answer when its question is on the screen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*ZUL, *arguments],
        cwd=cwd,
        env=environ(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_own_terminal,  # noqa: PLW1509 - tests start no threads
    )
    os.close(theirs)
    try:
        screen = _talk(ours, answers)
        return Session(process.wait(TIMEOUT_S), screen)
    finally:
        os.close(ours)
        process.kill()
        process.wait()


def _own_terminal() -> None:
    # Without a controlling terminal Ctrl+C would be a byte like any other.
    os.close(os.open(os.ttyname(0), os.O_RDWR))


def _talk(terminal: int, answers: dict[str, str]) -> str:
    screen, waiting, deadline = b"", dict(answers), time.monotonic() + TIMEOUT_S
    while select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            chunk = b""
        if not chunk:
            return screen.decode()
        screen += chunk
        for question, answer in list(waiting.items()):
            if question.encode() in screen:
                os.write(terminal, answer.encode())
                del waiting[question]
    raise TimeoutError(screen.decode())


def tool(name: str) -> str:
    """Return the path of a command of the environment that runs the tests."""
    return str(Path(sys.executable).parent / name)
