import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import ROOT

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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build from a littered checkout, the way a release is made, and install the wheel."""
    root = tmp_path_factory.mktemp("release")
    checkout = root / "checkout"
    shutil.copytree(
        ROOT,
        checkout,
        ignore=shutil.ignore_patterns(".git", ".venv", "build", ".*_cache", "__pycache__"),
    )
    for name in LITTER:
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"litter")
    python = sys.executable
    _run(python, "-m", "build", "--no-isolation", "--outdir", str(root / "dist"), str(checkout))
    (wheel,) = (root / "dist").glob("*.whl")
    (sdist,) = (root / "dist").glob("*.tar.gz")
    installed = root / "installed"
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--compile")
    _run(python, *pip, "--target", str(installed), str(wheel))
    return Built(checkout, wheel, sdist, installed)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def wheel_names(built: Built) -> set[str]:
    with zipfile.ZipFile(built.wheel) as archive:
        return set(archive.namelist())
