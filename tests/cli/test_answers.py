import io

import pytest

from zul.domain.errors import MissingAnswersError
from zul.interface.cli.answers import Answers
from zul.interface.cli.console import Console


def answers(typed: str) -> tuple[Answers, io.StringIO]:
    screen = io.StringIO()
    return Answers(Console(screen, screen), "--yes", io.StringIO(typed)), screen


@pytest.mark.parametrize(("typed", "name"), [("toko\n", "toko"), ("\n", "usual"), ("toko", "toko")])
def test_a_text(typed: str, name: str) -> None:
    assert answers(typed)[0].text("Nama:", "usual") == name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("\n", True),
        ("y\n", True),
        (" YA \n", True),
        ("n\n", False),
        ("hm\ny\n", True),
        ("a\nb\nc\ny\n", False),
    ],
)
def test_a_confirmation(typed: str, meant: bool) -> None:
    assert answers(typed)[0].confirm("Buat?") is meant


def test_an_unclear_answer_is_asked_for_again() -> None:
    asked, screen = answers("hm\ny\n")
    asked.confirm("Buat?")
    assert screen.getvalue() == "Buat? [Y/n] Jawab y atau n.\nBuat? [Y/n] "


def test_the_end_of_input_names_what_is_missing() -> None:
    with pytest.raises(MissingAnswersError, match="--yes"):
        answers("")[0].confirm("Buat?")
