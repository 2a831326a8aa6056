import shlex
import sys
from pathlib import Path

import pytest

from src.application.AI.agents.limits import MAX_ARGUMENT_CHARS
from src.interface.cli.editor import EditError, edit_in_editor, parse_arguments


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "baris 1, kolom 1"),
        ('{"to": 1\n"cc": 2}', "baris 2, kolom 1"),
        ("[]", "objek JSON"),
        ('{"a": 1, "a": 2}', 'Kunci "a" muncul lebih dari sekali'),
        ('{"a": {"b\u200b": 1, "b\u200b": 2}}', r"b\u200b"),
        ('{"a": NaN}', "NaN bukan JSON"),
        (r'{"a": "\ud800"}', "surrogate"),
        (r'{"a": "\u0000"}', "NUL"),
        ('{"a": 99999999999999999999}', "64 bits"),
        ('{"a": "' + "x" * (MAX_ARGUMENT_CHARS + 1) + '"}', "too long"),
        ("[" * 100_000, "terlalu dalam"),
    ],
)
def test_bad_arguments_are_refused_with_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(EditError) as refused:
        parse_arguments(text)
    assert reason in str(refused.value)


def test_escapes_mean_their_characters() -> None:
    assert parse_arguments('{"to": "\\u202e"}\n') == {"to": "\u202e"}


def test_editor_gets_the_text_in_a_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _use_editor(tmp_path, monkeypatch, "seen.write_text(file.read_text() + str(file))")
    edited = edit_in_editor("é {}")
    text, _, name = seen.read_text().partition("\n")
    assert text == "é {}"
    assert edited == "é {}\n"
    assert not Path(name).exists()


def test_editor_that_gives_up_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _use_editor(tmp_path, monkeypatch, "sys.exit(3)")
    with pytest.raises(EditError, match="kode 3"):
        edit_in_editor("{}")


def test_editor_that_leaves_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _use_editor(tmp_path, monkeypatch, r"file.write_bytes(b'\xff')")
    with pytest.raises(EditError, match="tidak dapat dipakai"):
        edit_in_editor("{}")


def test_editor_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor --wait")
    with pytest.raises(EditError, match="no-such-editor"):
        edit_in_editor("{}")


def test_no_editor_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EditError, match="EDITOR=nano"):
        edit_in_editor("{}")


def _use_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> Path:
    seen = tmp_path / "seen"
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\n"
        f"file, seen = Path(sys.argv[1]), Path({str(seen)!r})\n{code}\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, "-X", "utf8", str(script)]))
    return seen
