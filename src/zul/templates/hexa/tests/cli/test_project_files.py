"""What is written about the project, and the files that ship it, agree with the project."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]

from src.infrastructure.settings import Settings
from src.interface.http.main import app

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _yaml(name: str) -> Any:
    return yaml.safe_load(_text(name))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_that_are_named_exist(document: Path) -> None:
    named = re.findall(r"`((?:src|tests|docs|scripts)/[\w./]+)`", document.read_text("utf-8"))
    made_by_the_reader = {"src/infrastructure/AI/tools/room_tool.py"}
    missing = {path for path in named if not (ROOT / path).exists()}
    assert missing <= made_by_the_reader


def test_settings_of_the_readme_exist() -> None:
    table = _text("README.md").partition("## Settings")[2]
    named = set(re.findall(r"^\| `([A-Z_]+)`", table, re.MULTILINE))
    assert len(named) > 5
    assert {name.lower() for name in named} <= set(Settings.model_fields)


def test_endpoints_of_the_readme_exist() -> None:
    table = _text("README.md").partition("## Endpoints")[2].partition("## ")[0]
    named = set(re.findall(r"`(POST|GET) (/[\w/]+)`|`POST (/[\w/]+)`", table))
    paths = {path for groups in named for path in groups[1:] if path}
    assert len(paths) > 5
    assert paths <= set(app.openapi()["paths"])


def test_workflow_runs_the_verb_alone_on_every_supported_python() -> None:
    job = _yaml(".github/workflows/ci.yml")["jobs"]["test"]
    assert [step["run"] for step in job["steps"] if "run" in step] == ["python -m tasks test"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert "TEST_DATABASE_URL" in job["env"]


def test_workflow_runs_what_needs_the_extras() -> None:
    steps = _yaml(".github/workflows/ci.yml")["jobs"]["page"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [
        'pip install -e ".[dev,browser,openapi]" -c constraints.txt',
        "playwright install --with-deps chromium",
        "python -m pytest tests/browser tests/replies/test_openapi.py",
    ]
    extras = tomllib.loads(_text("pyproject.toml"))["project"]["optional-dependencies"]
    assert any(each.startswith("playwright") for each in extras["browser"])
    assert any(each.startswith("schemathesis") for each in extras["openapi"])
    assert list((ROOT / "tests" / "browser").glob("test_page_*.py"))


def test_hooks_run_the_verb_alone() -> None:
    (repository,) = _yaml(".pre-commit-config.yaml")["repos"]
    assert [hook["entry"] for hook in repository["hooks"]] == ["python -m tasks check"]


def test_image_copies_what_is_there_and_runs_as_nobody_special() -> None:
    lines = _text("Dockerfile").splitlines()
    copied = [line.split()[1:-1] for line in lines if re.match(r"COPY (?!--from)", line)]
    sources = [source for line in copied for source in line]
    assert sources == ["pyproject.toml", "constraints.txt", "README.md", "src"]
    assert all((ROOT / source).exists() for source in sources)
    assert all(f"!{source}" in _text(".dockerignore").splitlines() for source in sources)
    user = lines.index("USER app")
    assert user > max(i for i, line in enumerate(lines) if line.startswith("FROM"))
    assert any("src.interface.http.main:app" in line for line in lines[user:])


def test_compose_waits_for_its_database_and_stays_on_this_machine() -> None:
    services = _yaml("compose.yaml")["services"]
    app_service = services["app"]
    assert app_service["depends_on"]["db"]["condition"] == "service_healthy"
    assert "healthcheck" in services["db"]
    assert app_service["environment"]["DATABASE_URL"].startswith("postgresql://")
    assert all(port.startswith("127.0.0.1:") for port in app_service["ports"])


def test_constraints_pin_every_dependency_and_name_no_place() -> None:
    lines = [line for line in _text("constraints.txt").splitlines() if not line.startswith("#")]
    pinned = {re.fullmatch(r"([\w.-]+)==[\w.]+", line) for line in lines}
    assert None not in pinned
    names = {_normal(match.group(1)) for match in pinned if match}
    project = tomllib.loads(_text("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {_normal(re.split(r"[\[<>=!~; ]", each)[0]) for each in wanted} <= names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
