"""A release made from a littered checkout, and what that litter is."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

# What people leave behind where they work. Everything here must stay where it is.
LITTER = (
    "src/zul/__pycache__/x.cpython-311.pyc",
    "src/zul/templates/hexa/__pycache__/tasks.cpython-311.pyc",
    "src/zul/templates/hexa/src/domain/__pycache__/x.cpython-313.pyc",
    "src/zul/templates/hexa/.venv/bin/python",
    "src/zul/templates/hexa/.env",
    "src/zul/templates/hexa/.env.local",
    "src/zul/templates/hexa/data/app.db",
    "src/zul/templates/hexa/data/app.db-wal",
    "src/zul/templates/hexa/checkpoints.db",
    "src/zul/templates/hexa/.pytest_cache/v/cache/lastfailed",
    "src/zul/templates/hexa/.mypy_cache/x.json",
    "src/zul/templates/hexa/.ruff_cache/x",
    "src/zul/templates/hexa/.hypothesis/x",
    "src/zul/templates/hexa/.DS_Store",
    "src/zul/templates/hexa/src/.DS_Store",
    "src/zul/templates/hexa/zul_hexa_template.egg-info/PKG-INFO",
    "src/zul/templates/hexa/uv.lock",
    "src/zul/templates/hexa/node_modules/x/index.js",
    "src/zul/templates/hexa/build/lib/x.py",
    "src/zul/templates/hexa/dist/x.whl",
    "src/zul/templates/hexa/server.log",
    "src/zul/templates/hexa/.coverage",
    ".venv/bin/python",
    "uv.lock",
)


@dataclass(frozen=True)
class Built:
    checkout: Path
    wheel: Path
    sdist: Path
    installed: Path


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a command that has to succeed; return what it printed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
