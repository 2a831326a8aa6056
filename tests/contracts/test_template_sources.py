"""What every `TemplateSource` must do, on the fake and on the real one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.template_source import SENTINEL, InMemoryTemplates
from zul.application.ports.template_source import TemplateSource
from zul.domain.errors import TemplateError
from zul.domain.plan import FileChange
from zul.domain.project_name import ProjectName
from zul.domain.template import plan_project
from zul.infrastructure.packaged_template import PackagedTemplate

MANIFEST = f"""
sentinel = "{SENTINEL}"
files = ["pyproject.toml"]
stamp = ".zul.toml"
reserved = ["dotenv"]
"""
PROJECT = f"""
[build-system]
requires = ["Hatchling>=1"]
[project]
name = "{SENTINEL}"
dependencies = ["fastapi>=1", "psycopg[binary]>=3"]
optional-dependencies = {{dev = ["Ruff"]}}
"""


def packaged(folder: Path) -> TemplateSource:
    root = folder / "mini"
    (root / ".ci").mkdir(parents=True)
    (root / "pyproject.toml").write_text(PROJECT, "utf-8")
    (root / "constraints.txt").write_text("# pins\nlangchain_core==1.8.3\n", "utf-8")
    (root / "ci.yml").write_bytes(b"${{ matrix.python }} {% raw %}\n")
    (root / ".ci" / "run").write_bytes(b"#!/bin/sh\n")
    (root / ".ci" / "run").chmod(0o755)
    (root / ".env").write_bytes(b"SECRET=1")
    (folder / "mini.toml").write_text(MANIFEST, "utf-8")
    return PackagedTemplate(folder)


SOURCES: dict[str, Callable[[Path], TemplateSource]] = {
    "memory": lambda _: InMemoryTemplates(),
    "packaged": packaged,
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> TemplateSource:
    return SOURCES[request.param](tmp_path)


def test_a_template_comes_as_it_stands(source: TemplateSource) -> None:
    files = source.load("mini").files.changes
    assert FileChange("ci.yml", b"${{ matrix.python }} {% raw %}\n") in files
    assert FileChange(".ci/run", b"#!/bin/sh\n", executable=True) in files


def test_a_template_can_be_planned(source: TemplateSource) -> None:
    plan = plan_project(source.load("mini"), ProjectName("my-app"), "1")
    assert not [file for file in plan.changes if SENTINEL.encode() in file.content]


def test_what_a_template_installs_is_taken(source: TemplateSource) -> None:
    assert {"langchain-core", "fastapi", "dotenv", SENTINEL} <= source.load("mini").taken_names


def test_an_unknown_template_is_refused(source: TemplateSource) -> None:
    with pytest.raises(TemplateError):
        source.load("other")


def test_a_packaged_template_takes_every_name_that_is_declared(tmp_path: Path) -> None:
    distributions = packaged(tmp_path).load("mini").distributions
    assert distributions == {"hatchling", "fastapi", "psycopg", "ruff", "langchain-core"}


def test_a_packaged_template_leaves_out_what_is_ignored(tmp_path: Path) -> None:
    assert ".env" not in packaged(tmp_path).load("mini").files.paths


@pytest.mark.parametrize(
    ("damage", "content"),
    [
        ("mini.toml", None),
        ("mini.toml", b"= ["),
        ("mini.toml", b"\xff"),
        ("mini.toml", b"sentinel = 1"),
        ("mini/pyproject.toml", None),
        ("mini/pyproject.toml", b"= ["),
        ("mini/constraints.txt", None),
        ("mini/constraints.txt", b"\xff"),
    ],
)
def test_a_damaged_package_is_a_refusal(tmp_path: Path, damage: str, content: bytes | None) -> None:
    source = packaged(tmp_path)
    (tmp_path / damage).unlink()
    if content is not None:
        (tmp_path / damage).write_bytes(content)
    with pytest.raises(TemplateError, match="mini") as refusal:
        source.load("mini")
    assert "Pasang ulang" in refusal.value.hint
