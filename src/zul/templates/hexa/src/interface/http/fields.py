"""The forms that request fields have in common."""

from typing import Annotated
from uuid import uuid4

from pydantic import AfterValidator, Field

MAX_THREAD_ID_LENGTH = 200


def _no_unstorable_text(text: str) -> str:
    """Refuse what PostgreSQL or UTF-8 cannot hold, so that every store behaves alike."""
    if "\x00" in text:
        msg = "must not contain NUL characters"
        raise ValueError(msg)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        msg = "must not contain half of a surrogate pair"
        raise ValueError(msg) from None
    return text


def _plain_id(text: str) -> str:
    if not text.strip() or not text.isprintable():
        msg = "must be printable and not blank"
        raise ValueError(msg)
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_no_unstorable_text)]
ThreadId = Annotated[
    str,
    Field(min_length=1, max_length=MAX_THREAD_ID_LENGTH),
    AfterValidator(_no_unstorable_text),
    AfterValidator(_plain_id),
]


def new_thread_id() -> str:
    """Return an id for a new conversation: 32 hexadecimal characters."""
    return uuid4().hex
