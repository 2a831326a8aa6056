import os
import select
import sys
from typing import TextIO

from zul.domain.errors import MissingAnswersError
from zul.interface.cli.console import Console

# How long a pipe may stay silent before it counts as nobody. Somebody who pipes answers has them
# ready; an automation that left a pipe open by accident must get an error instead of a hang.
PIPE_PATIENCE_S = 2.0

_YES = {"", "y", "ya", "yes"}
_NO = {"n", "no", "t", "tidak"}
_ATTEMPTS = 3


class Answers:
    """Asks a person at a terminal, or takes answers that were piped in; never waits for nobody."""

    def __init__(self, console: Console, missing: str, stdin: TextIO | None = None) -> None:
        self._console = console
        self._missing = missing
        self._stdin: TextIO | None = stdin or sys.stdin

    def text(self, question: str, default: str) -> str:
        self._console.note(f"{question} [{default}] ", end="")
        return self._line() or default

    def confirm(self, question: str) -> bool:
        """Ask for yes (the default) or no."""
        for _ in range(_ATTEMPTS):
            self._console.note(f"{question} [Y/n] ", end="")
            answer = self._line().strip().lower()
            if answer in _YES | _NO:
                return answer in _YES
            self._console.note("Jawab y atau n.")
        return False

    def _line(self) -> str:
        line = _read_line(self._stdin) if self._stdin else ""
        if not line.endswith("\n"):
            # Only a terminal echoes the line end that closes the question.
            self._console.note("")
        if not line:
            raise MissingAnswersError(
                f"Tidak ada terminal untuk bertanya. Opsi yang kurang: {self._missing}.",
                "Contoh: zul build hexa --name my-hexa-project --yes",
            )
        return line.rstrip("\r\n")


def _read_line(stdin: TextIO) -> str:
    """Return the next line with its end, or nothing when there is none to come."""
    try:
        descriptor = stdin.fileno()
    except OSError:  # a stream in memory cannot block
        return stdin.readline()
    if stdin.isatty():
        return stdin.readline()
    return _read_piped(descriptor).decode(errors="surrogateescape")


def _read_piped(descriptor: int) -> bytes:
    # Byte by byte and past Python's buffer: what a buffer took along `select` would not see.
    line = b""
    while not line.endswith(b"\n") and _is_readable(descriptor):
        byte = os.read(descriptor, 1)
        if not byte:
            break
        line += byte
    return line


def _is_readable(descriptor: int) -> bool:
    try:
        return bool(select.select([descriptor], [], [], PIPE_PATIENCE_S)[0])
    except OSError:  # pragma: no cover (Windows can wait for sockets only)
        return False
