"""Runs benchmarks and prints the table: ``python -m benchmarks [--fast|--full] [NAME ...]``."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks.figures import Figure, table
from benchmarks.report import write
from benchmarks.settings import Run

NAMES = ("startup", "turn", "growth", "memory", "load", "streams")
FAST_NAMES = NAMES[:-1]  # what streams do is told in wall time, which says little on a busy machine


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
    names = given.names or (NAMES if given.full else FAST_NAMES)
    figures: list[Figure] = []
    failed: list[str] = []
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="zul-bench-") as folder:
        run = Run(
            full=given.full,
            folder=Path(folder),
            python=given.python,
            zul_python=given.zul_python,
            dev_server=given.dev_server,
        )
        for name in names:
            print(f"{(datetime.now(UTC) - began).seconds} s: {name} ...", flush=True)
            measured = _measured(name, run)
            if measured is None:
                failed.append(name)
                continue
            print(table(measured), end="\n\n", flush=True)
            figures += measured
            if given.save:  # at once: a long run may be stopped
                print(f"{write(figures, full=given.full, began=began)}\n", flush=True)
    if len(names) != 1:
        print(table(figures))
    if failed:
        print(f"\nNot measured: {', '.join(failed)}", file=sys.stderr)
    gross = [figure.name for figure in figures if figure.is_gross]
    if gross:
        print(f"\nGross regressions: {', '.join(gross)}", file=sys.stderr)
    return int(bool(gross or failed))


def _measured(name: str, run: Run) -> list[Figure] | None:
    """Return the figures of one benchmark, or nothing when it failed: the others go on."""
    folder = run.folder / name
    folder.mkdir()
    try:
        found: list[Figure] = import_module(f"benchmarks.{name}").measure(
            replace(run, folder=folder)
        )
    except Exception:  # noqa: BLE001 - reported, and the run fails in the end
        traceback.print_exc()
        return None
    return found


if __name__ == "__main__":
    sys.exit(main())
