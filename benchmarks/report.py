"""Keeps the figures of a run as JSON, with what it was run on and how."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.figures import Figure

RESULTS = ROOT / "benchmarks" / "results"
METHOD = (
    "Every figure is the median of ratios whose two sides were measured in turns, in one run. CPU "
    "time is that of the measured process in all its threads; the load comes from another process."
)
_PACKAGES = ("fastapi", "httptools", "langchain", "langchain-core", "langgraph",
             "langgraph-checkpoint", "langgraph-checkpoint-postgres", "langgraph-checkpoint-sqlite",
             "psycopg", "pydantic", "sqlalchemy", "starlette", "typer", "uvicorn",
             "uvloop")  # fmt: skip


def write(figures: Sequence[Figure], *, full: bool, began: datetime) -> Path:
    """Write the result file of the run that began then; return its path inside the repository."""
    content = {
        "date": began.isoformat(timespec="seconds"),
        "mode": "full" if full else "fast",
        "seconds": (datetime.now(UTC) - began).seconds,
        "commit": _commit(),
        "machine": _machine(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "method": METHOD,
        "figures": [{**asdict(figure), "within_bar": figure.within_bar} for figure in figures],
    }
    path = RESULTS / f"{began:%Y-%m-%dT%H%M}-{content['mode']}.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path.relative_to(ROOT)


def _machine() -> dict[str, object]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "load_at_end": [round(load, 1) for load in os.getloadavg()],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((x.partition(": ")[2] for x in lines if x.startswith("model name")), "")


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
