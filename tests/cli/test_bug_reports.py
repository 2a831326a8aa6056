"""What other scaffolding tools got wrong, one test for each report."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ZUL, environ, run_zul
from zul.domain.project_name import NAME_RULE
from zul.interface.cli.answers import PIPE_PATIENCE_S


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def assert_name_refused(folder: Path, *arguments: str) -> None:
    before = names(folder)
    done = run_zul("build", "hexa", *arguments, cwd=folder, errors="surrogateescape")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("❌ Error: Nama proyek ")
    assert NAME_RULE in done.stderr
    assert names(folder) == before


@pytest.mark.parametrize(
    "name",
    ["email", "json", "types", "class", "import", "async", "test", "langgraph", "fastapi"],
)
def test_b113_names_of_modules_keywords_and_dependencies(tmp_path: Path, name: str) -> None:
    assert_name_refused(tmp_path, "--name", name, "--yes")


@pytest.mark.parametrize("name", ["東京", "🎂", "---", "Météo", "   ", os.fsdecode(b"caf\xe9")])
def test_b115_names_without_a_distribution_name(tmp_path: Path, name: str) -> None:
    assert_name_refused(tmp_path, "--name", name, "--yes")


@pytest.mark.parametrize("name", ["../x", "a/b", "{outside}", "..\\x", "C:\\x\\..", "~/x", ".."])
def test_b117_names_that_are_paths(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    assert_name_refused(inside, "--name", name.format(outside=tmp_path / "x"), "--yes")
    assert names(tmp_path) == ["inside"]


@pytest.mark.parametrize("content", [[], ["notes.txt"], ["README.md", "src"]])
def test_b118_yes_does_not_mean_overwrite(tmp_path: Path, content: list[str]) -> None:
    target = tmp_path / "my-app"
    target.mkdir()
    for name in content:
        (target / name).write_bytes(b"mine")
    done = run_zul("build", "hexa", "--name", "my-app", "--yes", cwd=tmp_path)
    assert done.returncode == 1
    assert "sudah ada!" in done.stderr
    assert names(target) == sorted(content)
    assert all((target / name).read_bytes() == b"mine" for name in content)


CONSOLES = {
    "C locale": {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    "cp1252": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252:strict"},
    "ascii": {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii:strict"},
    "utf-8": {"PYTHONUTF8": "1"},
}


@pytest.mark.parametrize("console", CONSOLES)
def test_b123_messages_degrade_and_files_do_not(tmp_path: Path, console: str) -> None:
    here, usual = tmp_path / "here", tmp_path / "usual"
    for folder, env in ((here, CONSOLES[console]), (usual, {})):
        folder.mkdir()
        done = run_zul("build", "hexa", "-n", "my-app", "-y", cwd=folder, env=env)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Proyek HEXA 'my-app' berhasil dibuat!" in done.stdout
        again = run_zul("build", "hexa", "-n", "my-app", "-y", cwd=folder, env=env)
        assert again.returncode == 1
        assert "Error: Direktori 'my-app' sudah ada!" in again.stderr
    assert tree(here) == tree(usual)


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_b123_refused_names_show_on_any_console(tmp_path: Path) -> None:
    for env in CONSOLES.values():
        done = run_zul("build", "hexa", "-n", "東京 🎂", "-y", cwd=tmp_path, env=env)
        assert (done.returncode, done.stdout) == (1, "")
        assert NAME_RULE in done.stderr


def test_b123_output_goes_into_a_file(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        done = subprocess.run(
            [*ZUL, "build", "hexa", "-n", "my-app", "-y"],
            cwd=tmp_path,
            env=environ(**CONSOLES["C locale"]),
            stdout=log,
            check=False,
        )
    assert done.returncode == 0
    assert (tmp_path / "log").read_bytes().startswith(b"[OK] Proyek HEXA 'my-app'")


def closed_input() -> None:
    os.close(0)


@pytest.mark.parametrize("options", [{}, {"stdin": None, "preexec_fn": closed_input}])
@pytest.mark.parametrize("exists", [False, True])
def test_b125_yes_never_asks(tmp_path: Path, *, exists: bool, options: dict[str, Any]) -> None:
    if exists:
        (tmp_path / "my-app").mkdir()
    env = {"PATH": ""}  # no git either
    done = run_zul("build", "hexa", "-n", "my-app", "-y", cwd=tmp_path, env=env, **options)
    assert done.returncode == int(exists)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("options", [{}, {"stdin": None, "preexec_fn": closed_input}])
@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ((), "--name NAMA dan --yes."),
        (("--yes",), "--name NAMA."),
        (("--name", "my-app"), "--yes."),
        (("--dry-run",), "--name NAMA."),
    ],
)
def test_b125_without_a_terminal_the_missing_options_are_named(
    tmp_path: Path, arguments: tuple[str, ...], missing: str, options: dict[str, Any]
) -> None:
    done = run_zul("build", "hexa", *arguments, cwd=tmp_path, **options)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"Opsi yang kurang: {missing}\n" in done.stderr
    assert "Traceback" not in done.stderr
    assert names(tmp_path) == []


@pytest.mark.parametrize("started", [b"", b"my-app", b"my-app\n"])
def test_b125_a_pipe_that_stays_silent_is_not_waited_for(tmp_path: Path, started: bytes) -> None:
    process = subprocess.Popen(
        [*ZUL, "build", "hexa"],
        cwd=tmp_path,
        env=environ(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stdin, process.stdout, process.stderr:
        process.stdin.write(started)
        process.stdin.flush()
        assert process.wait(PIPE_PATIENCE_S * 20) == 1
        assert b"Opsi yang kurang" in process.stderr.read()
    assert names(tmp_path) == []


@pytest.mark.parametrize("answers", ["toko\ny\n", "toko\nya\n", "toko\n\n", "toko\r\ny\r\n"])
def test_answers_can_be_piped_in(tmp_path: Path, answers: str) -> None:
    done = run_zul("build", "hexa", cwd=tmp_path, input=answers)
    assert done.returncode == 0
    assert "✅ Proyek HEXA 'toko' berhasil dibuat!" in done.stdout
    assert "Masukkan nama proyek:" in done.stderr
    assert names(tmp_path) == ["toko"]


def test_a_piped_no(tmp_path: Path) -> None:
    done = run_zul("build", "hexa", "-n", "toko", cwd=tmp_path, input="n\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert "❌ Dibatalkan" in done.stderr
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [("--name", "-x"), ("--name=-x",), ("-n", "-x"), ("--name", "--yes"), ("-n", "--help")],
)
def test_b128_a_value_that_looks_like_an_option(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert_name_refused(tmp_path, *arguments)
    assert_name_refused(tmp_path, *arguments, "--yes")


@pytest.mark.parametrize("name", ["con", "aux", "nul", "com1", "x.", "x ", "x" * 200])
def test_b131_names_windows_cannot_hold(tmp_path: Path, name: str) -> None:
    assert_name_refused(tmp_path, "--name", name, "--yes")


OFFLINE = """
import json, os, socket, sys

def refuse(*_):
    raise AssertionError("network or process")

sys.addaudithook(
    lambda event, _: refuse()
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn")
    else None
)
from zul.interface.cli.main import main
sys.exit(main(json.loads(sys.argv[1])))
"""


def test_b132_no_network_and_no_other_program(tmp_path: Path) -> None:
    arguments = json.dumps(["build", "hexa", "-n", "my-app", "-y"])
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, arguments],
        cwd=tmp_path,
        env=environ(PATH=""),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_two_runs_give_identical_trees(tmp_path: Path) -> None:
    trees = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        run_zul("build", "hexa", "-n", "my-app", "-y", "-d", place, cwd=tmp_path)
        trees.append(tree(tmp_path / place))
    assert trees[0] == trees[1] != {}


SLOW_WRITES = """
import sys, time
from zul.infrastructure import local_workspace
from zul.interface.cli.main import main

write = local_workspace._write

def slow(*arguments):
    write(*arguments)
    print("file", flush=True)
    time.sleep(0.05)

local_workspace._write = slow
sys.exit(main(["build", "hexa", "-n", "my-app", "-y"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_half_way_leaves_no_trace(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITES],
        cwd=tmp_path,
        env=environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    with process.stdout, process.stderr:
        process.stdout.readline()
        for _ in range(3):  # an impatient user
            process.send_signal(number)
            time.sleep(0.01)
        assert process.wait(60) == 128 + number
        assert "❌ Dibatalkan" in process.stderr.read().decode()
    assert names(tmp_path) == []


def test_a_reader_that_stops_early_is_no_failure(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*ZUL, "build", "hexa", "-n", "my-app", "-y"],
        cwd=tmp_path,
        env=environ(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert names(tmp_path) == ["my-app"]


def closed_output() -> None:
    os.close(1)
    os.close(2)


def test_closed_outputs_are_no_failure(tmp_path: Path) -> None:
    done = run_zul("build", "hexa", "-n", "my-app", "-y", cwd=tmp_path, preexec_fn=closed_output)
    assert done.returncode == 0
    assert names(tmp_path) == ["my-app"]


def test_an_output_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*ZUL, "version"],
            cwd=tmp_path,
            env=environ(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    # A file in the way of the folder: root passes every permission check.
    (tmp_path / "file").write_bytes(b"")
    done = run_zul("build", "hexa", "-n", "my-app", "-y", "-d", "file", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
