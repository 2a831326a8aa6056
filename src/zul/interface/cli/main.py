import io
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer

from zul.interface.cli import exit_codes
from zul.interface.cli.app import app
from zul.interface.cli.console import Console
from zul.interface.cli.usage import explain_usage

# Wrong usage has no public name of its own in typer; its best known member is public.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]


class _Stopped(BaseException):
    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.exit_code = exit_codes.SIGNAL_BASE + signal_number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `zul` and return its exit code; the console script's entry point."""
    _never_fail_on_characters()
    console = Console()
    try:
        with _stopping_cleanly():
            return int(app(args=arguments, prog_name="zul", standalone_mode=False) or 0)
    except _USAGE_ERROR as error:
        explain_usage(error, console)
        return exit_codes.USAGE
    except _Stopped as stopped:
        console.note("\n❌ Dibatalkan")
        return stopped.exit_code
    except OSError as error:
        console.fail(f"{error.strerror or error}.", "Keluaran tidak bisa ditulis ke tujuannya.")
        return exit_codes.REFUSED


def _never_fail_on_characters() -> None:
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


@contextmanager
def _stopping_cleanly() -> Iterator[None]:
    """Let the first stop signal unwind the work, and the next ones not disturb the clean-up."""
    numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    before = {number: signal.getsignal(number) for number in numbers if number}
    # What the caller chose to ignore (nohup, a background job) stays ignored.
    ours = [number for number, handler in before.items() if handler != signal.SIG_IGN]

    def stop(signal_number: int, _frame: FrameType | None) -> None:
        for number in ours:
            signal.signal(number, signal.SIG_IGN)
        raise _Stopped(signal_number)

    for number in ours:
        signal.signal(number, stop)
    try:
        yield
    except _Stopped:
        # The process ends now, and an impatient second signal must not change how.
        raise
    except BaseException:
        _restore(before)
        raise
    _restore(before)


def _restore(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
