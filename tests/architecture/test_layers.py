import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands import ROOT, tool

VIOLATIONS = {
    "domain to application": ("domain/plan.py", "import zul.application.use_cases.create_project"),
    "application to infrastructure": (
        "application/use_cases/create_project.py",
        "import zul.infrastructure.local_workspace",
    ),
    "infrastructure to interface": (
        "infrastructure/local_workspace.py",
        "import zul.interface.cli.console",
    ),
    "a new layer": ("utils.py", ""),
    "domain reads files": ("domain/plan.py", "import os"),
    "application knows typer": ("application/use_cases/create_project.py", "import typer"),
    "infrastructure knows typer": ("infrastructure/local_workspace.py", "import typer"),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(
        ROOT / "src" / "zul",
        tmp_path / "zul",
        ignore=shutil.ignore_patterns("templates", "__pycache__"),
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint_imports(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tool("lint-imports"), "--no-cache"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contracts_are_kept(checkout: Path) -> None:
    done = lint_imports(checkout)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_a_planted_violation_is_found(checkout: Path, violation: str) -> None:
    path, line = VIOLATIONS[violation]
    with (checkout / "zul" / path).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    done = lint_imports(checkout)
    assert done.returncode != 0, done.stdout
    assert "BROKEN" in done.stdout
