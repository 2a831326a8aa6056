"""The forms that request fields have in common."""

from typing import Annotated
from uuid import uuid4

from pydantic import AfterValidator, Field, JsonValue

from src.application.AI.agents.storable import unstorable_part, unstorable_text
from src.application.AI.agents.tool_calls import TOOL_NAME_PATTERN
from src.infrastructure.settings import Settings

MAX_THREAD_ID_LENGTH = 200

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


def _plain_id(text: str) -> str:
    if not text.strip() or not text.isprintable():
        msg = "must be printable and not blank"
        raise ValueError(msg)
    return text


Note = Annotated[
    str, Field(max_length=_settings.message_max_chars), AfterValidator(_no_unstorable_text)
]
Text = Annotated[Note, Field(min_length=1)]
ToolArgs = Annotated[dict[str, JsonValue], AfterValidator(_storable_args)]
ToolName = Annotated[str, Field(pattern=TOOL_NAME_PATTERN)]
ThreadId = Annotated[
    str,
    Field(min_length=1, max_length=MAX_THREAD_ID_LENGTH),
    AfterValidator(_no_unstorable_text),
    AfterValidator(_plain_id),
]


def new_thread_id() -> str:
    """Return an id for a new conversation: 32 hexadecimal characters."""
    return uuid4().hex
