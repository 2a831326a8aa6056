"""How long programs take from their start to what they are for."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from benchmarks.figures import Figure, ratio
from benchmarks.settings import ROOT
from benchmarks.subject import free_port, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.settings import Run

HELP_BAR, BUILD_BAR, SERVER_BAR = 1.5, 2.5, 1.3
MEMORY = Path("/dev/shm")  # noqa: S108 - not a fixed name in it, just the file system
"""Where files cost least. On a disk they may cost ten times as much, whoever makes them."""

ZUL = "import sys; from zul.interface.cli.main import main; sys.exit(main())"


def measure(run: Run) -> list[Figure]:
    """Start each program several times, in turns."""
    return [*_commands(run), *_servers(run)]


def _commands(run: Run) -> list[Figure]:
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else run.folder) as quick:
        series = _in_turns(
            {
                "typer": lambda: _command(run, run.folder, "import typer"),
                "help": lambda: _command(run, run.folder, ZUL, "--help"),
                "build": lambda: _build(run, Path(quick)),
                "build on disk": lambda: _build(run, run.folder),
            },
            run.pick(5, 25),
        )
    baseline = "python -c 'import typer', CPU"
    typer = series["typer"]
    return [
        ratio("zul --help", baseline, series["help"], typer, bar=HELP_BAR),
        ratio("zul build hexa", baseline, series["build"], typer, bar=BUILD_BAR),
        ratio("zul build hexa, on the disk of this run", baseline, series["build on disk"], typer),
    ]


def _build(run: Run, folder: Path) -> float:
    return _command(run, folder, ZUL, "build", "hexa", "-y", "-n", f"p{uuid4().hex}")


def _in_turns(taken: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    series: dict[str, list[float]] = {name: [] for name in taken}
    for count in range(rounds + 1):
        for name, take in taken.items():
            value = take()
            if count:  # the first round fills caches of the disk
                series[name].append(value)
    return series


def _command(run: Run, folder: Path, code: str, *arguments: str) -> float:
    """Return the CPU time in milliseconds that a program takes from start to end."""
    environment = run.environment(PYTHONPATH=str(ROOT / "src"), PYTHONUTF8="1")
    process = subprocess.Popen(
        [run.zul_python, "-c", code, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return (usage.ru_utime + usage.ru_stime) * 1_000


def _servers(run: Run) -> list[Figure]:
    series = _in_turns(
        {
            "plain": lambda: _until_health(run, "benchmarks.subjects.plain_app:app"),
            "service": lambda: _until_health(run, "src.interface.http.main:app"),
        },
        run.pick(3, 11),
    )
    return [
        ratio(
            "server until /health answers",
            "FastAPI importing LangGraph, CPU",
            series["service"],
            series["plain"],
            bar=SERVER_BAR,
        )
    ]


def _until_health(run: Run, application: str) -> float:
    """Return the CPU time in milliseconds that a server takes until it answers."""
    port = free_port()
    with started(run, "benchmarks.subjects.server", application, str(port)) as server:
        server.wait_for(port)
        return server.cpu_seconds() * 1_000
