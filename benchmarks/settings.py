"""How large a run is, and where the things that it starts are."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "src" / "zul" / "templates" / "hexa"

STOCK_SAVERS = {
    "memory": ("langgraph.checkpoint.memory",),
    "SQLite": ("langgraph.checkpoint.sqlite",),
    "PostgreSQL": ("langgraph.checkpoint.postgres", "psycopg_pool"),
}
"""What LangGraph's own saver needs on each store; a generated project has not all of it."""


@dataclass(frozen=True)
class Run:
    """One run of the benchmarks.

    Attributes:
        full: measure as long as the bars ask for; otherwise as long as a gate may take.
        folder: for everything that is written meanwhile.
        python: the interpreter that has what a generated project needs.
        zul_python: the interpreter that has typer.
        dev_server: LangGraph's command line; ``None`` where it is not installed.
    """

    full: bool
    folder: Path
    python: str = sys.executable
    zul_python: str = sys.executable
    dev_server: str | None = None

    def pick(self, fast: T, full: T) -> T:
        """Return the size for this mode."""
        return full if self.full else fast

    def has(self, *modules: str) -> bool:
        """Tell whether the measured interpreter can import these."""
        code = f"import {', '.join(modules)}"
        done = subprocess.run([self.python, "-c", code], capture_output=True, check=False)
        return done.returncode == 0

    def environment(self, **extra: str) -> dict[str, str]:
        """Return the environment of a subject: the template and this package, no other settings."""
        kept = {k: v for k, v in os.environ.items() if k in {"PATH", "HOME", "LANG", "TMPDIR"}}
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join([str(TEMPLATE), str(ROOT)]),
            "LANGSMITH_TRACING": "false",
            "LANGGRAPH_STRICT_MSGPACK": "true",
            **extra,
        }
