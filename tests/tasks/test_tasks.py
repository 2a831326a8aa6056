import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.commands import ROOT

TEMPLATE = ROOT / "src" / "zul" / "templates" / "hexa"


def load(name: str, path: Path) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(path.read_bytes(), path, "exec"), module.__dict__)  # noqa: S102 - our own file
    return module


tasks = load("zul_root_tasks", ROOT / "tasks.py")
template = tasks.template


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def run_tasks(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tasks", *arguments],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("folder", [ROOT, TEMPLATE])
def test_every_verb_of_make_has_its_twin(folder: Path) -> None:
    makefile = (folder / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: help (.*)$", makefile, re.MULTILINE)
    verbs = tasks.VERBS if folder == ROOT else template.VERBS
    assert phony.split() == list(verbs)
    assert f"\n{phony}:\n" in makefile


@pytest.mark.parametrize("folder", [ROOT, TEMPLATE])
@pytest.mark.parametrize(("arguments", "code"), [(["help"], 0), ([], 2), (["bild"], 2)])
def test_the_help_names_every_verb(folder: Path, arguments: list[str], code: int) -> None:
    done = run_tasks(folder, *arguments)
    assert done.returncode == code
    for verb in tasks.VERBS if folder == ROOT else template.VERBS:
        assert f"  {verb} " in done.stdout
    assert "None" not in done.stdout


def test_a_taken_port_gives_the_next_one() -> None:
    with socket.socket() as other:
        other.bind((template.HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        assert template.free_port(port) > port


@pytest.mark.parametrize("port", ["abc", "0", "65536", "-1", "taken"])
def test_a_port_that_cannot_be_served_is_refused_with_the_way_out(
    port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other:
        other.bind((template.HOST, 0))
        other.listen()
        monkeypatch.setenv("PORT", str(other.getsockname()[1]) if port == "taken" else port)
        with pytest.raises(template.TaskError, match="PORT"):
            template.chosen_port()


def test_the_welcome_lines_are_commands_that_belong_together() -> None:
    lines = [line for line in template.welcome("http://h:1") if line.startswith("curl ")]
    commands = [shlex.split(line) for line in lines]
    bodies = [json.loads(command[-1]) for command in commands]
    assert [command[2] for command in commands] == [
        "http://h:1/chat",
        "http://h:1/hitl/chat",
        "http://h:1/hitl/review",
    ]
    assert bodies[1]["thread_id"] == bodies[2]["thread_id"]
    assert bodies[2]["decisions"] == [{"type": "approve"}]
    assert list(template.welcome("http://h:1")) != list(template.welcome("http://h:1"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that installs nothing, with the template's tasks."""
    for name in ("tasks.py", "Makefile"):
        shutil.copy(TEMPLATE / name, tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\n', "utf-8")
    (tmp_path / "constraints.txt").write_text("", "utf-8")
    (tmp_path / ".env.example").write_text("LLM_MODEL=demo\n", "utf-8")
    return tmp_path


Recorder = Callable[..., list[list[str]]]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Replace the installers by a recorder that makes the folder they would make."""

    def install(uv: str | None, failing: str = "") -> list[list[str]]:
        calls: list[list[str]] = []

        def run(command: list[str], _folder: Path) -> int:
            words = [str(word) for word in command]
            calls.append(words)
            if failing and failing in words:
                return 1
            if "venv" in words:
                (Path(words[-1]) / "bin").mkdir(parents=True)
                (Path(words[-1]) / "bin" / "python").symlink_to(sys.executable)
            return 0

        monkeypatch.setattr(template, "_run", run)
        monkeypatch.setattr(template, "run_audibly", run)
        monkeypatch.setattr(template.shutil, "which", lambda _: uv)
        return calls

    return install


def test_pip_makes_the_environment_where_there_is_no_uv(project: Path, recorded: Recorder) -> None:
    calls = recorded(uv=None)
    template.Environment(project).ensure()
    assert calls[0][1:3] == ["-m", "venv"]
    assert calls[1][1:4] == ["-m", "pip", "install"]
    assert calls[1][-4:] == ["-e", ".[dev]", "-c", "constraints.txt"]


def test_uv_makes_it_where_there_is_one(project: Path, recorded: Recorder) -> None:
    calls = recorded(uv="/opt/uv")
    template.Environment(project).ensure()
    assert [call[:2] for call in calls] == [["/opt/uv", "venv"], ["/opt/uv", "pip"]]


def test_pip_takes_over_when_uv_fails(project: Path, recorded: Recorder) -> None:
    calls = recorded(uv="/opt/uv", failing="/opt/uv")
    template.Environment(project).ensure()
    assert calls[-1][1:4] == ["-m", "pip", "install"]


def test_nothing_is_installed_twice(project: Path, recorded: Recorder) -> None:
    calls = recorded(uv=None)
    template.Environment(project).ensure()
    calls.clear()
    template.Environment(project).ensure()
    assert calls == []


def installed(calls: list[list[str]]) -> list[str]:
    return [call[call.index("-e") + 1] for call in calls if "-e" in call]


def test_running_the_service_installs_no_tools(
    project: Path, recorded: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = recorded(uv=None)
    monkeypatch.setattr(template, "_serve", lambda _: 0)
    template.dev(template.Environment(project))
    template.chat(template.Environment(project))
    assert installed(calls) == ["."]
    template.check(template.Environment(project))
    assert installed(calls) == [".", ".[dev]"]
    template.dev(template.Environment(project))
    assert installed(calls) == [".", ".[dev]"]


def test_what_was_installed_for_another_verb_is_kept_up_to_date(
    project: Path, recorded: Recorder
) -> None:
    calls = recorded(uv=None)
    template.Environment(project, extras="dev,browser").ensure()
    template.Environment(project).ensure()
    (project / "constraints.txt").write_text("# more\n", "utf-8")
    template.Environment(project, extras="").ensure()
    assert installed(calls) == [".[browser,dev]", ".[browser,dev]"]


def test_installing_says_what_it_does_and_that_it_goes_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(0.5); raise SystemExit(3)"]
    monkeypatch.setattr(template, "SIGN_OF_LIFE_S", 0.1)
    assert template.run_audibly(command, project) == 3
    assert "masih memasang (0 detik)" in capfd.readouterr().out
    monkeypatch.setattr(template, "run_audibly", lambda *_: 0)
    monkeypatch.setattr(template, "_run", lambda *_: 0)
    monkeypatch.setattr(template.Environment, "_works", lambda *_: True)
    (project / ".venv").mkdir()
    template.Environment(project).ensure()
    assert f"Memasang paket di {project / '.venv'}" in capfd.readouterr().out


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_requirement_is_installed(project: Path, recorded: Recorder, name: str) -> None:
    calls = recorded(uv=None)
    template.Environment(project).ensure()
    calls.clear()
    with (project / name).open("a", encoding="utf-8") as file:
        file.write("# more\n")
    template.Environment(project).ensure()
    assert [call[1:4] for call in calls] == [["-m", "pip", "install"]]


def test_a_moved_project_starts_afresh(project: Path, recorded: Recorder) -> None:
    calls = recorded(uv=None)
    template.Environment(project).ensure()
    moved = project.rename(project.parent / f"{project.name}-moved")
    calls.clear()
    template.Environment(moved).ensure()
    assert calls[0][1:3] == ["-m", "venv"]


def test_a_failed_install_is_tried_again_next_time(project: Path, recorded: Recorder) -> None:
    recorded(uv=None, failing="install")
    with pytest.raises(template.TaskError, match="jaringan"):
        template.Environment(project).ensure()
    calls = recorded(uv=None)
    template.Environment(project).ensure()
    assert calls[-1][1:4] == ["-m", "pip", "install"]


def test_a_python_without_venv_is_told_what_to_install(
    project: Path, recorded: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(uv=None)
    monkeypatch.setattr(template.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(template.TaskError, match=r"apt install python3-venv(.|\n)*uv"):
        template.Environment(project).ensure()


def test_setup_makes_the_settings_once(project: Path, recorded: Recorder) -> None:
    recorded(uv=None)
    template.setup(template.Environment(project))
    settings = project / ".env"
    assert settings.read_text("utf-8") == "LLM_MODEL=demo\n"
    settings.write_text("mine", "utf-8")
    template.setup(template.Environment(project))
    assert settings.read_text("utf-8") == "mine"


def test_check_runs_everything_and_fails_when_one_fails(project: Path, recorded: Recorder) -> None:
    calls = recorded(uv=None, failing="check")
    assert template.check(template.Environment(project)) == 1
    started = [Path(call[0]).name for call in calls[-4:]]
    assert started == ["ruff", "ruff", "lint-imports", "mypy"]
    calls.clear()
    assert template.test(template.Environment(project)) == 1
    assert not any("pytest" in call for call in calls)


def test_the_demo_makes_its_project_without_anything_installed(tmp_path: Path) -> None:
    code = "import pathlib, sys, tasks; tasks.build_project(pathlib.Path(sys.argv[1]))"
    made = tmp_path / "my-app"
    # Without site-packages: what is imported is the standard library and what lies here.
    subprocess.run([sys.executable, "-S", "-c", code, made], cwd=ROOT, check=True)
    assert (made / ".zul.toml").is_file()
    again = subprocess.run(
        [sys.executable, "-S", "-c", code, made], cwd=ROOT, capture_output=True, check=False
    )
    assert b"TaskError: Direktori 'my-app' sudah ada!" in again.stderr


def test_the_demo_is_made_anew_when_the_template_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "DEMO", tmp_path)
    project = tmp_path / "my-app"
    for stamp, kept in ((None, True), ("older", False)):
        tasks.make_demo_project(project)
        (project / ".venv").mkdir(exist_ok=True)
        (project / "data").mkdir()
        if stamp:
            (project / ".zul.toml").write_text(stamp, "utf-8")
        tasks.make_demo_project(project)
        assert (project / ".venv").is_dir()
        assert (project / "data").exists() == kept
        shutil.rmtree(project / "data", ignore_errors=True)
    assert names(tmp_path) == ["my-app"]


def test_the_build_calls_the_verbs_and_nothing_else() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert re.findall(r"run: (.*)", workflow) == ["make test", "make bench"]
    assert (ROOT / ".ci" / "run").read_text("utf-8").endswith("\nmake test\nexec make bench\n")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
