import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.interface.cli.visible import harmless, visible, visible_json

HIDDEN = {
    "NUL": "\x00",
    "escape": "\x1b",
    "delete": "\x7f",
    "C1 control": "\x9b",
    "tab": "\t",
    "line end": "\n",
    "line separator": "\u2028",
    "no-break space": "\u00a0",
    "ideographic space": "\u3000",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "Hangul filler": "\u3164",
    "Braille blank": "\u2800",
    "variation selector": "\ufe0f",
    "variation selector supplement": "\U000e0100",
    "tag": "\U000e0041",
    "private use": "\ue000",
    "half a surrogate pair": "\ud800",
    "unassigned": "\u0378",
}


@pytest.mark.parametrize("character", HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_character_becomes_its_json_escape(character: str) -> None:
    shown = visible(f"a{character}b")
    assert shown.isascii()
    assert json.loads(f'"{shown}"') == f"a{character}b"


@pytest.mark.parametrize("text", ["Rapat jam 10", "é ü ß", "日本語", "Привет", "🙂", '"\\'])
def test_what_can_be_seen_stays(text: str) -> None:
    assert visible(text) == text
    assert harmless(text) == text


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_shown_json_hides_nothing_and_means_the_same(value: dict[str, object]) -> None:
    shown = visible_json(value, indent=2)
    assert json.loads(shown) == value
    assert all(
        unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        for c in shown.replace("\n", "")
    )


def test_prose_keeps_its_lines_and_emoji_but_steers_nothing() -> None:
    assert harmless("a\n\tb ❤\ufe0f") == "a\n\tb ❤\ufe0f"
    assert harmless("\x1b]0;x\x07\r\u202e") == r"\u001b]0;x\u0007\u000d\u202e"
