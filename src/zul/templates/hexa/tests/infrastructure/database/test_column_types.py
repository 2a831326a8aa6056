import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.infrastructure.database.column_types import from_storable, to_storable

any_text = st.text(st.characters(codec=None, categories=None, exclude_categories=()))


@given(any_text)
def test_every_text_is_made_storable_and_comes_back(text: str) -> None:
    stored = to_storable(text)

    assert "\0" not in stored
    stored.encode()
    assert from_storable(stored) == text


@given(any_text, any_text)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (to_storable(one) == to_storable(other)) == (one == other)


@pytest.mark.parametrize("text", ["", "t1", "a:b\\u0000", "żółć 🦊", "%x1b0000"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert to_storable(text) == text
