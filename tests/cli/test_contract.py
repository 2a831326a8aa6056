"""Section 8 of the contract, row by row."""

from pathlib import Path

import pytest

import zul
from tests.commands import at_terminal, run_zul
from zul.domain.project_name import NAME_RULE

NAME_QUESTION = "Masukkan nama proyek:"
CTRL_C = "\x03"
CTRL_D = "\x04"


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("arguments", [("--version",), ("version",)])
def test_the_version(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run_zul(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"zul {zul.__version__}\n", "")


def test_made(tmp_path: Path) -> None:
    done = run_zul("build", "hexa", "--name", "my-app", "--yes", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "✅ Proyek HEXA 'my-app' berhasil dibuat!"
    assert "  pyproject.toml" in lines
    assert any(line.startswith("  src/domain/ (") for line in lines)
    assert lines[-5:] == [
        "Langkah berikutnya:",
        "  cd my-app",
        "  make dev",
        "",
        "Tanpa make: python -m tasks dev",
    ]
    assert names(tmp_path) == ["my-app"]
    assert 'name = "my-app"' in (tmp_path / "my-app" / "pyproject.toml").read_text("utf-8")


def test_asks_for_what_is_missing(tmp_path: Path) -> None:
    session = at_terminal(
        "build",
        "hexa",
        cwd=tmp_path,
        answers={NAME_QUESTION: "toko\n", "Buat proyek 'toko' (hexa)?": "y\n"},
    )
    assert session.exit_code == 0
    assert "✅ Proyek HEXA 'toko' berhasil dibuat!" in session.screen
    assert names(tmp_path) == ["toko"]


def test_two_times_enter_takes_both_defaults(tmp_path: Path) -> None:
    session = at_terminal(
        "build",
        "hexa",
        cwd=tmp_path,
        answers={NAME_QUESTION: "\n", "Buat proyek 'my-hexa-project' (hexa)?": "\n"},
    )
    assert session.exit_code == 0
    assert "[my-hexa-project]" in session.screen
    assert names(tmp_path) == ["my-hexa-project"]


@pytest.mark.parametrize("answer", ["n", "N", "no", "tidak", "x\nx\nx"])
def test_answered_no(tmp_path: Path, answer: str) -> None:
    session = at_terminal(
        "build", "hexa", "-n", "toko", cwd=tmp_path, answers={"(hexa)?": f"{answer}\n"}
    )
    assert session.exit_code == 0
    assert "❌ Dibatalkan" in session.screen
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["", "   ", "\t"])
def test_name_empty_or_blank(tmp_path: Path, name: str) -> None:
    done = run_zul("build", "hexa", "--name", name, "--yes", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == "❌ Error: Nama proyek tidak boleh kosong!"
    assert names(tmp_path) == []


def test_a_blank_answer_is_no_name_either(tmp_path: Path) -> None:
    session = at_terminal("build", "hexa", cwd=tmp_path, answers={NAME_QUESTION: "  \n"})
    assert session.exit_code == 1
    assert "❌ Error: Nama proyek tidak boleh kosong!" in session.screen


@pytest.mark.parametrize("occupant", ["folder", "file", "link"])
def test_folder_exists(tmp_path: Path, occupant: str) -> None:
    target = tmp_path / "my-app"
    if occupant == "folder":
        target.mkdir()
        (target / "README.md").write_bytes(b"mine")
    elif occupant == "file":
        target.write_bytes(b"mine")
    else:
        target.symlink_to("nowhere")
    done = run_zul("build", "hexa", "--name", "my-app", "--yes", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == "❌ Error: Direktori 'my-app' sudah ada!"
    assert names(tmp_path) == ["my-app"]
    if occupant == "folder":
        assert names(target) == ["README.md"]
        assert (target / "README.md").read_bytes() == b"mine"
    elif occupant == "file":
        assert target.read_bytes() == b"mine"
    else:
        assert target.readlink() == Path("nowhere")


def test_a_name_that_cannot_be_a_project_everywhere(tmp_path: Path) -> None:
    done = run_zul("build", "hexa", "--name", "con", "--yes", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "❌ Error: Nama proyek 'con' tidak bisa dipakai: itu nama perangkat Windows.\n"
        f"   {NAME_RULE}\n"
        "   Misalnya: --name con-app\n"
    )
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "hexa", "--nama", "x"), "Opsi '--nama' tidak dikenal."),
        (("build", "hexa", "--name"), "Opsi '--name' butuh nilai."),
        (("build", "hexa", "--yes=1"), "Opsi '--yes' tidak menerima nilai."),
        (
            ("build", "hexa", "my-app"),
            "Nama proyek ditulis dengan --name: zul build hexa --name my-app",
        ),
        (("build", "hexa", "My", "App!", "--yes"), "zul build hexa --name my-app"),
        (("build", "hexa", "--name", "a", "b"), "Argumen 'b' tidak dikenal."),
        (("build", "onion"), "Perintah 'onion' tidak dikenal. Yang ada: hexa."),
        (("bild",), "Perintah 'bild' tidak dikenal. Yang ada: version, build."),
        (("version", "2"), "Perintah tidak dipahami. Got unexpected extra argument"),
    ],
)
def test_usage_error(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run_zul(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("❌ Error: ")
    assert message in done.stderr
    assert "--help" in done.stderr
    assert names(tmp_path) == []


@pytest.mark.parametrize("arguments", [(), ("build",)])
def test_no_command_shows_the_help(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run_zul(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: zul" in done.stderr


@pytest.mark.parametrize("question", [NAME_QUESTION, "(hexa)?"])
def test_interrupted_at_a_question(tmp_path: Path, question: str) -> None:
    answers = {NAME_QUESTION: "toko\n", question: CTRL_C}
    session = at_terminal("build", "hexa", cwd=tmp_path, answers=answers)
    assert session.exit_code == 130
    assert "❌ Dibatalkan" in session.screen
    assert "Traceback" not in session.screen
    assert names(tmp_path) == []


def test_the_end_of_input_at_a_terminal_is_no_answer(tmp_path: Path) -> None:
    session = at_terminal("build", "hexa", cwd=tmp_path, answers={NAME_QUESTION: CTRL_D})
    assert session.exit_code == 1
    assert "--name NAMA dan --yes" in session.screen
    assert names(tmp_path) == []


def test_another_directory(tmp_path: Path) -> None:
    place = tmp_path / "folder saya"
    place.mkdir()
    done = run_zul("build", "hexa", "-n", "my-app", "-y", "-d", "folder saya", cwd=tmp_path)
    assert done.returncode == 0
    assert "  cd 'folder saya/my-app'\n" in done.stdout
    assert names(place) == ["my-app"]


def test_a_directory_that_is_missing(tmp_path: Path) -> None:
    done = run_zul("build", "hexa", "-n", "my-app", "-y", "-d", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Folder tujuan 'nowhere' tidak ada." in done.stderr


def test_a_dry_run_lists_every_file_and_makes_none(tmp_path: Path) -> None:
    listed = run_zul("build", "hexa", "-n", "my-app", "--dry-run", cwd=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert names(tmp_path) == []
    run_zul("build", "hexa", "-n", "my-app", "-y", cwd=tmp_path)
    root = tmp_path / "my-app"
    made = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    assert listed.stdout.splitlines() == made


@pytest.mark.parametrize("occupant", ["folder", "link"])
def test_a_dry_run_refuses_what_a_real_run_refuses(tmp_path: Path, occupant: str) -> None:
    if occupant == "folder":
        (tmp_path / "my-app").mkdir()
    else:
        (tmp_path / "my-app").symlink_to("nowhere")
    done = run_zul("build", "hexa", "-n", "my-app", "--dry-run", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")


def test_help_is_plain_text_for_every_console(tmp_path: Path) -> None:
    done = run_zul("build", "hexa", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.isascii()
    for option in ("--name", "-n", "--yes", "-y", "--directory", "-d", "--dry-run"):
        assert option in done.stdout
