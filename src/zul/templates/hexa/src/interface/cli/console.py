import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from pydantic import TypeAdapter, ValidationError

from src.interface.cli.visible import harmless
from src.interface.http.fields import Note

_LINE: TypeAdapter[str] = TypeAdapter(Note)

_PLAIN = {"→": "->", "←": "<-", "│": "|", "…": "...", "—": "-"}
_BOLD = "\x1b[1m"
_DIM = "\x1b[2m"
_RESET = "\x1b[0m"


class Console:
    """The terminal, or whatever stands in its place.

    The conversation goes to standard output, everything about the chat itself to standard error.
    A stream that cannot show a character gets a plain one or its escape, never an exception.
    """

    def __init__(
        self,
        stdin: TextIO | None = None,
        out: TextIO | None = None,
        err: TextIO | None = None,
    ) -> None:
        # None when the process was started with it closed.
        self._stdin = stdin or sys.stdin or io.StringIO()
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        # Bytes that are no text must reach the check of the message, which refuses them.
        _never_fail(self._stdin, "surrogateescape")
        _never_fail(self._out, "backslashreplace")
        _never_fail(self._err, "backslashreplace")
        self._is_styled = _shows_styles(self._out)
        if self.is_interactive:
            _edit_lines()

    @property
    def is_interactive(self) -> bool:
        """Somebody sits in front of it."""
        return self._stdin.isatty() and self._out.isatty()

    def say(self, text: str) -> None:
        """Print a line of the conversation."""
        _write(self._out, f"{text}\n")

    def emphasise(self, text: str) -> None:
        """Print a line that must not be overlooked."""
        self.say(f"{_BOLD}{text}{_RESET}" if self._is_styled else text)

    def murmur(self, text: str) -> None:
        """Print a line that stands behind the others."""
        self.say(f"{_DIM}{text}{_RESET}" if self._is_styled else text)

    def note(self, text: str) -> None:
        """Print a line about the chat itself."""
        _write(self._err, f"{text}\n")

    def ask(self, question: str) -> str:
        """Return the next line that is typed or piped in, and that a store can hold.

        Raises:
            EOFError: there is none.
        """
        while True:
            try:
                return _LINE.validate_python(self._line(question))
            except ValidationError as error:
                self.note(f"Masukan ditolak: {error.errors()[0]['msg']}")

    def _line(self, question: str) -> str:
        if self.is_interactive and self._stdin is sys.stdin:
            return input(_fit(question, self._out.encoding))
        _write(self._out, question)
        line = self._stdin.readline()
        # What was piped in is repeated, so that the output reads like the conversation it was.
        self.say(harmless(line.rstrip("\r\n")))
        if not line:
            raise EOFError
        return line.rstrip("\r\n")


def _edit_lines() -> None:
    """Let `input` move within a line and go back to earlier ones, where the system can."""
    with suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - imported for its effect, which a pipe must not see


def _shows_styles(stream: TextIO) -> bool:
    environ = os.environ
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def _never_fail(stream: TextIO, errors: str) -> None:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=errors)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(_fit(text, stream.encoding))
        stream.flush()
    except BrokenPipeError:
        # The reader stopped early; the turn under way still comes to its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _fit(text: str, encoding: str | None) -> str:
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        for symbol, plain in _PLAIN.items():
            text = text.replace(symbol, plain)
        return text.encode(encoding or "utf-8", "backslashreplace").decode(encoding or "utf-8")
    return text
