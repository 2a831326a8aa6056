"""Projects made from the released wheel, at an awkward place, under awkward names."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ROOT, run_zul
from tests.release import Built, run
from zul.domain.errors import InvalidNameError
from zul.domain.project_name import MAX_LENGTH, ProjectName
from zul.infrastructure.packaged_template import PackagedTemplate

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

FIRST = "My_App.v2"
OTHERS = (
    "A",
    "x" * MAX_LENGTH,
    "a--b",
    "a.b_c-d",
    "console",
    "emailer",
    "True1",
    "UPPER",
    "com10",
)

# Enough to see that the name broke nothing; the project's own tests ran in full under one name.
SMOKE = """
import importlib.metadata, sys, tomllib
from fastapi.testclient import TestClient
from src.interface.http.main import app

name = tomllib.load(open("pyproject.toml", "rb"))["project"]["name"]
assert importlib.metadata.metadata(name)["Name"] == name == sys.argv[1]
with TestClient(app) as client:
    assert client.get("/health").json() == {"status": "ok"}
    assert client.post("/chat", json={"message": "Halo"}).json()["answer"]
"""


@dataclass(frozen=True)
class Projects:
    folder: Path
    python: Path

    def path(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture(scope="module")
def projects(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Projects:
    """All projects; the first one sets itself up, with its own tasks and its own environment."""
    folder = tmp_path_factory.mktemp("tempat") / "Proyek saya é"
    folder.mkdir()
    env = {"PYTHONPATH": str(built.installed)}
    for name in (FIRST, *OTHERS):
        done = run_zul("build", "hexa", "--name", name, "--yes", cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
    run(sys.executable, "-m", "tasks", "setup", cwd=folder / FIRST)
    return Projects(folder, folder / FIRST / ".venv" / "bin" / "python")


def test_a_project_passes_its_own_check_and_tests(projects: Projects) -> None:
    report = run(sys.executable, "-m", "tasks", "test", "-q", cwd=projects.path(FIRST))
    assert re.search(r"^\d+ passed", report, re.MULTILINE), report[-2000:]


@pytest.mark.parametrize("name", OTHERS)
def test_every_allowed_name_installs_and_answers(projects: Projects, name: str) -> None:
    pip = (sys.executable, "-m", "pip", "--python", str(projects.python), "install", "--quiet")
    run(*pip, "--no-deps", "--editable", str(projects.path(name)))
    (projects.path(name) / ".env").write_bytes((projects.path(name) / ".env.example").read_bytes())
    run(str(projects.python), "-c", SMOKE, name, cwd=projects.path(name))


def test_no_installed_module_or_distribution_is_an_allowed_name(projects: Projects) -> None:
    code = (
        "import importlib.metadata as m, json;"
        "print(json.dumps([*m.packages_distributions(), *(d.name for d in m.distributions())]))"
    )
    installed = set(json.loads(run(str(projects.python), "-c", code, cwd=projects.folder)))
    ours = {FIRST, *OTHERS}
    taken = PackagedTemplate().load("hexa").taken_names
    allowed = [name for name in sorted(installed - ours) if is_allowed(name, taken)]
    assert allowed == [], "add these to `reserved` in src/zul/templates/hexa.toml"


def is_allowed(name: str, taken: frozenset[str]) -> bool:
    try:
        ProjectName.parse(name, taken)
    except InvalidNameError:
        return False
    return not name.endswith("-stubs")  # for type checkers only, nothing imports it


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(project: Path) -> Iterator[list[str]]:
    """Run the project's `dev` task; yields what it printed up to the end of the welcome."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tasks", "dev"],
        cwd=project,
        env={**os.environ, "PORT": str(free_port())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    watchdog = threading.Timer(300, process.kill)
    watchdog.start()
    lines = []
    try:
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("Berhenti"):
                break
        yield lines
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        watchdog.cancel()


def answer(command: str) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(run("bash", "-c", command))
    return reply


def test_the_welcome_lines_work_as_printed(projects: Projects) -> None:
    with served(projects.path(FIRST)) as lines:
        chat, pause, approve = [line for line in lines if line.startswith("curl ")]
        assert answer(chat)["answer"]
        assert answer(pause)["pending_review"]["action_requests"][0]["name"] == "send_email"
        assert answer(approve)["answer"]
        (page,) = [line.split()[-1] for line in lines if line.startswith("Playground")]
        assert "<html" in run("bash", "-c", f"curl -s {page}")


def test_the_lines_of_the_readme_work_in_both_languages(projects: Projects) -> None:
    with served(projects.path(FIRST)) as lines:
        (page,) = [line.split()[-1] for line in lines if line.startswith("Playground")]
        for name in ("README.md", "README.id.md"):
            text = (ROOT / name).read_text("utf-8")
            text = text.replace("http://127.0.0.1:8000", page.removesuffix("/playground"))
            chat, pause, approve = re.findall(r"^ *(curl .*)$", text, re.MULTILINE)
            assert "Jakarta" in answer(chat)["answer"]
            assert answer(pause)["pending_review"]["action_requests"][0]["name"] == "send_email"
            assert "alice@example.com" in answer(approve)["answer"]
            assert answer(approve).keys() == {"detail"}, "a second approval is refused"
