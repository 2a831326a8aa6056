import io

import pytest

from src.interface.cli.console import Console


def _console(lines: str, encoding: str) -> tuple[Console, io.BytesIO]:
    screen = io.BytesIO()
    out = io.TextIOWrapper(screen, encoding=encoding, newline="\n")
    return Console(io.StringIO(lines), out, out), screen


def test_symbols_are_replaced_where_the_terminal_cannot_show_them() -> None:
    console, screen = _console("", "ascii")
    console.say("→ é │ ← …")
    assert screen.getvalue() == rb"-> \xe9 | <- ..." + b"\n"


def test_symbols_stay_where_they_can_be_shown() -> None:
    console, screen = _console("", "utf-8")
    console.say("→ é")
    assert screen.getvalue().decode() == "→ é\n"


def test_piped_input_is_repeated() -> None:
    console, screen = _console("halo\r\n", "utf-8")
    assert console.ask("Kamu: ") == "halo"
    assert screen.getvalue() == b"Kamu: halo\n"


def test_end_of_input() -> None:
    console, _ = _console("", "utf-8")
    with pytest.raises(EOFError):
        console.ask("Kamu: ")


def test_no_terminal_means_no_styles_and_nobody_in_front() -> None:
    console, screen = _console("", "utf-8")
    console.emphasise("a")
    console.murmur("b")
    assert screen.getvalue() == b"a\nb\n"
    assert not console.is_interactive


def test_bytes_that_are_no_text_do_not_end_the_chat() -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"\xff\nhalo\n"), encoding="utf-8")
    out = io.StringIO()
    assert Console(stdin, out, out).ask("? ") == "halo"
    assert "Masukan ditolak" in out.getvalue()
