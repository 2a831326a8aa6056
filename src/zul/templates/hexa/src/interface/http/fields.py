"""The forms that request fields have in common."""

from typing import Annotated
from uuid import uuid4

from pydantic import AfterValidator, Field, JsonValue

from src.application.AI.agents.storable import unstorable_part, unstorable_text
from src.application.AI.agents.tool_calls import TOOL_NAME_PATTERN
from src.infrastructure.settings import Settings

MAX_THREAD_ID_LENGTH = 200

# Control characters, every space but the ordinary one, and characters that nobody can see.
_HIDDEN = r"\x00-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
_PRINTABLE_NOT_BLANK = f"^ *[^ {_HIDDEN}][^{_HIDDEN}]*$"

# For the schema alone: what breaks them is refused by words of our own, a blank message even by
# a business rule.
_WITHOUT_NUL = r"^[^\x00]*$"
_NOT_BLANK = r"^[^\x00]*[^\s\x00\x1c-\x1f\x85][^\x00]*$"

# Read at import, like the switch of the playground, so that the schema documents the limits.
_settings = Settings()
_limits = _settings.limits


def _no_unstorable_text(text: str) -> str:
    """Refuse what PostgreSQL or UTF-8 cannot hold, so that every store behaves alike."""
    fault = unstorable_text(text)
    if fault is not None:
        raise ValueError(fault)
    return text


def _storable_args(args: dict[str, JsonValue]) -> dict[str, JsonValue]:
    fault = unstorable_part(args, _limits)
    if fault is not None:
        raise ValueError(fault)
    return args


Note = Annotated[
    str,
    Field(max_length=_settings.message_max_chars, json_schema_extra={"pattern": _WITHOUT_NUL}),
    AfterValidator(_no_unstorable_text),
]
Text = Annotated[Note, Field(min_length=1, json_schema_extra={"pattern": _NOT_BLANK})]
ToolArgs = Annotated[dict[str, JsonValue], AfterValidator(_storable_args)]
ToolName = Annotated[str, Field(pattern=TOOL_NAME_PATTERN)]
ThreadId = Annotated[
    str, Field(min_length=1, max_length=MAX_THREAD_ID_LENGTH, pattern=_PRINTABLE_NOT_BLANK)
]


def new_thread_id() -> str:
    """Return an id for a new conversation: 32 hexadecimal characters."""
    return uuid4().hex
