"""The contracts in ``pyproject.toml`` hold, and each of them notices when it is broken."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = (ROOT / "src" / "domain", ROOT / "src" / "application")

LAYERS = "Imports point inwards"
PURE_CORE = "Domain and application know no web framework, provider SDK or database driver"
EDGE = "Inside interface only the composition roots import infrastructure"
USE_CASES = "Use cases do not import each other"
NO_TESTS = "Source never imports tests"

TYPING_ONLY = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from src.infrastructure.settings import Settings
"""

VIOLATIONS = [
    (LAYERS, "src/domain/planted.py", "import src.application.errors"),
    (LAYERS, "src/domain/planted.py", "from src.interface.http import fields"),
    (LAYERS, "src/application/planted.py", "from src.infrastructure.settings import Settings"),
    (LAYERS, "src/application/planted.py", TYPING_ONLY),
    (LAYERS, "src/infrastructure/planted.py", "from src.interface.http import main"),
    (LAYERS, "src/utils/__init__.py", ""),
    (PURE_CORE, "src/domain/planted.py", "import fastapi"),
    (PURE_CORE, "src/application/planted.py", "from starlette.requests import Request"),
    (PURE_CORE, "src/application/planted.py", "import openai"),
    (PURE_CORE, "src/application/planted.py", "from langchain_openai import ChatOpenAI"),
    (PURE_CORE, "src/application/planted.py", "import psycopg"),
    (PURE_CORE, "src/application/planted.py", "import sqlite3"),
    (EDGE, "src/interface/http/routers/planted.py", "from src.infrastructure import settings"),
    (USE_CASES, "src/application/usecases/planted.py", "import src.application.usecases.chat"),
    (NO_TESTS, "src/interface/planted.py", "import tests"),
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", command, "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def copy_of_the_project(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__init__.py").touch()
    return tmp_path


def test_the_project_keeps_every_contract() -> None:
    done = lint(ROOT)

    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("contract", "path", "code"),
    VIOLATIONS,
    ids=[f"{path} {code.strip()[-40:]}" for _, path, code in VIOLATIONS],
)
def test_a_planted_violation_breaks_its_contract(
    copy_of_the_project: Path, contract: str, path: str, code: str
) -> None:
    planted = copy_of_the_project / path
    planted.parent.mkdir(exist_ok=True)
    planted.write_text(code)

    done = lint(copy_of_the_project)

    assert done.returncode != 0
    broken = [line for line in done.stdout.splitlines() if line.endswith("BROKEN")]
    assert any(line.startswith(contract) for line in broken), done.stdout


def test_no_saver_with_a_driver_is_imported_in_the_core() -> None:
    drivers = ("langgraph.checkpoint.postgres", "langgraph.checkpoint.sqlite")

    imported = {
        (module, path.name)
        for folder in CORE
        for path in folder.rglob("*.py")
        for module in _imports_of(path)
    }

    assert imported
    assert [where for where in imported if where[0].startswith(drivers)] == []


def _imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    named = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return plain | named
