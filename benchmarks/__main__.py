"""Runs benchmarks and prints the table: ``python -m benchmarks [--fast|--full] [NAME ...]``."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks.figures import Figure, table
from benchmarks.report import write
from benchmarks.settings import Run

NAMES = ("startup", "turn", "streams", "growth", "memory", "load")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--fast", action="store_true", help="some two minutes (the default)")
    mode.add_argument("--full", action="store_true", help="as long as the bars ask for")
    parser.add_argument("--python", default=sys.executable, help="has the template's packages")
    parser.add_argument("--zul-python", default=sys.executable, help="has typer")
    parser.add_argument("--dev-server", default=shutil.which("langgraph"), help="langgraph's CLI")
    parser.add_argument("--save", action="store_true", help="write a dated JSON into results/")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    return parser.parse_args()


def main() -> int:
    """Run the command; it fails on gross regressions only."""
    given = _arguments()
    # Unwinds, so that a run that is stopped leaves no server behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    figures: list[Figure] = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="zul-bench-") as folder:
        run = Run(
            full=given.full,
            folder=Path(folder),
            python=given.python,
            zul_python=given.zul_python,
            dev_server=given.dev_server,
        )
        for name in given.names or NAMES:
            own_folder = run.folder / name
            own_folder.mkdir()
            measured = import_module(f"benchmarks.{name}").measure(replace(run, folder=own_folder))
            print(table(measured), end="\n\n", flush=True)
            figures += measured
    if len(given.names) != 1:
        print(table(figures))
    if given.save:
        print(f"\n{write(figures, full=given.full, seconds=time.monotonic() - start)}")
    gross = [figure.name for figure in figures if figure.is_gross]
    if gross:
        print(f"\nGross regressions: {', '.join(gross)}", file=sys.stderr)
    return int(bool(gross))


if __name__ == "__main__":
    sys.exit(main())
