import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
import yaml

from tests.commands import ROOT, run_zul, tool
from tests.release import run
from zul.domain.ignored import is_ignored
from zul.domain.plan import FileChange, FilePlan
from zul.domain.project_name import MAX_LENGTH, ProjectName
from zul.domain.template import Template, plan_project
from zul.infrastructure.packaged_template import PackagedTemplate

TEMPLATE = ROOT / "src" / "zul" / "templates" / "hexa"
NAME = ProjectName("my-app")

# The name in any spelling: `zul_hexa_template` would survive the exact replacement.
SENTINEL = re.compile(rb"zul[-_. ]?hexa[-_. ]?template", re.IGNORECASE)
LINE_ENDS = re.compile(rb"\r")


@pytest.fixture(scope="module")
def template() -> Template:
    return PackagedTemplate().load("hexa")


@pytest.fixture(scope="module")
def project(template: Template) -> FilePlan:
    return plan_project(template, NAME, "1.2.3")


def test_exactly_the_listed_files_carry_the_sentinel(template: Template) -> None:
    carriers = {file.path for file in template.files.changes if SENTINEL.search(file.content)}
    assert carriers == set(template.manifest.files)


def test_the_sentinel_has_one_spelling(template: Template) -> None:
    found = {m for file in template.files.changes for m in SENTINEL.findall(file.content)}
    assert found == {template.manifest.sentinel.encode()}


def test_the_sentinel_is_gone_from_a_project(project: FilePlan) -> None:
    assert not [file.path for file in project.changes if SENTINEL.search(file.content)]


def test_the_name_is_where_it_belongs(project: FilePlan) -> None:
    texts = {file.path: file.content for file in project.changes}
    assert tomllib.loads(texts["pyproject.toml"].decode())["project"]["name"] == "my-app"
    assert b"my-app" in texts["README.md"]
    assert tomllib.loads(texts[".zul.toml"].decode())["project"]["name"] == "my-app"


def test_b127_nothing_changes_but_the_name_in_the_listed_files(
    template: Template, project: FilePlan
) -> None:
    made = {file.path: file for file in project.changes}
    for file in template.files.changes:
        listed = file.path in template.manifest.files
        content = file.content.replace(b"zul-hexa-template", b"my-app") if listed else file.content
        assert made[file.path] == FileChange(file.path, content, file.executable)


PARSERS: dict[str, Callable[[str], object]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".yaml": yaml.safe_load,
    ".yml": yaml.safe_load,
}


def test_b127_every_data_file_of_a_project_parses(project: FilePlan) -> None:
    parsed = [
        PARSERS[PurePosixPath(file.path).suffix](file.content.decode())
        for file in project.changes
        if PurePosixPath(file.path).suffix in PARSERS
    ]
    assert all(parsed)


def test_every_module_of_a_project_compiles(project: FilePlan) -> None:
    for file in project.changes:
        if file.path.endswith(".py"):
            compile(file.content, file.path, "exec")


def is_text(file: FileChange) -> bool:
    return PurePosixPath(file.path).suffix not in {".png", ".ico", ".woff2", ".gif", ".jpg"}


def test_b130_every_text_file_has_unix_line_ends_and_is_utf8(project: FilePlan) -> None:
    for file in filter(is_text, project.changes):
        assert not LINE_ENDS.search(file.content), file.path
        file.content.decode("utf-8")


def test_b130_a_project_keeps_its_line_ends(project: FilePlan) -> None:
    attributes = next(file for file in project.changes if file.path == ".gitattributes")
    assert b"eol=lf" in attributes.content


def test_b130_a_checkout_with_converted_line_ends_is_the_same(tmp_path: Path) -> None:
    run_zul("build", "hexa", "-n", "my-app", "-y", cwd=tmp_path)
    project = tmp_path / "my-app"
    author = ("-c", "user.name=Someone", "-c", "user.email=someone@example.com")
    run("git", "init", "-q", cwd=project)
    run("git", "add", ".", cwd=project)
    run("git", *author, "commit", "-q", "-m", "Start", cwd=project)
    run("git", "clone", "-q", "-c", "core.autocrlf=true", "my-app", "clone", cwd=tmp_path)
    for path in _files(project):
        assert (tmp_path / "clone" / path).read_bytes() == (project / path).read_bytes(), path


@pytest.mark.parametrize("name", ["a", "x" * MAX_LENGTH])
def test_no_name_breaks_the_format_or_the_lint_of_a_project(tmp_path: Path, name: str) -> None:
    run_zul("build", "hexa", "-n", name, "-y", cwd=tmp_path)
    for command in (("format", "--diff"), ("check",)):
        run(tool("ruff"), *command, "--no-cache", ".", cwd=tmp_path / name)


def test_everything_with_a_shebang_is_executable_and_nothing_else(project: FilePlan) -> None:
    for file in project.changes:
        assert file.executable == file.content.startswith(b"#!"), file.path


def test_the_files_a_project_cannot_do_without(project: FilePlan) -> None:
    expected = {
        ".dockerignore", ".env.example", ".gitattributes", ".gitignore", ".pre-commit-config.yaml",
        ".zul.toml", "Makefile", "README.md", "constraints.txt", "pyproject.toml",
        "src/__init__.py", "src/interface/http/main.py", "tasks.py",
    }  # fmt: skip
    assert expected <= set(project.paths)
    assert any(path.startswith(".github/workflows/") for path in project.paths)


def test_the_template_is_what_version_control_knows(template: Template) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "."],
        cwd=TEMPLATE,
        capture_output=True,
        text=True,
        check=True,
    )
    known = {path for path in listed.stdout.split("\0") if path and (TEMPLATE / path).is_file()}
    assert set(template.files.paths) == known


def test_version_control_of_a_project_ignores_what_the_template_leaves_out(
    tmp_path: Path,
) -> None:
    run_zul("build", "hexa", "-n", "my-app", "-y", cwd=tmp_path)
    project = tmp_path / "my-app"
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    litter = [".venv/x", ".env", "data/app.db", "__pycache__/x.pyc", ".pytest_cache/x"]
    assert all(is_ignored(path) for path in litter)
    checked = subprocess.run(
        ["git", "check-ignore", *litter], cwd=project, capture_output=True, text=True, check=False
    )
    assert checked.stdout.split() == litter
    tracked = subprocess.run(
        ["git", "check-ignore", "--no-index", *_files(project)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tracked.stdout == ""


def _files(project: Path) -> list[str]:
    return [
        path.relative_to(project).as_posix()
        for path in project.rglob("*")
        if path.is_file() and ".git" not in path.parts
    ]


def test_every_distribution_the_project_pins_is_a_name_it_cannot_have(template: Template) -> None:
    pins = (TEMPLATE / "constraints.txt").read_text("utf-8")
    assert {"fastapi", "langgraph", "langchain-core", "pydantic-core"} <= template.taken_names
    assert len(template.distributions) >= pins.count("==")
