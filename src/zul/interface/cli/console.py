import os
import sys
from typing import TextIO

from zul.domain.errors import ZulError

_PLAIN = {"✅": "[OK]", "❌": "[X]", "…": "..."}


class Console:
    """Results go to standard output; questions, errors and everything else to standard error."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        # Looked up late: a test or a caller may have replaced the streams. Either is None when
        # the process was started with it closed.
        self._out: TextIO | None = out or sys.stdout
        self._err: TextIO | None = err or sys.stderr

    def result(self, text: str) -> None:
        _write(self._out, f"{text}\n")

    def note(self, text: str, end: str = "\n") -> None:
        _write(self._err, f"{text}{end}")

    def refuse(self, error: ZulError) -> None:
        self.fail(error.cause, error.hint)

    def fail(self, cause: str, hint: str) -> None:
        self.note(f"❌ Error: {cause}")
        for line in hint.splitlines():
            self.note(f"   {line}")


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:
        return
    try:
        stream.write(fit(text, stream.encoding or "ascii"))
        stream.flush()
    except BrokenPipeError:
        # A reader that stops early (`zul … | head`) is no failure of ours.
        _drop_rest(stream)
    except OSError:
        _drop_rest(stream)
        raise


def _drop_rest(stream: TextIO) -> None:
    """Keep the interpreter's last flush from failing on the same stream once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def fit(text: str, encoding: str) -> str:
    """Return `text` as far as `encoding` can show it; never raises."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for symbol, plain in _PLAIN.items():
            text = text.replace(symbol, plain)
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text
