"""Column types that behave the same on SQLite and PostgreSQL."""

import json
import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, Text, TypeDecorator
from typing_extensions import override

# PostgreSQL stores no NUL and no driver encodes a lone surrogate; ESC, which no ordinary text
# holds, introduces their escape and so is escaped itself.
_UNSTORABLE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")


def to_storable(text: str) -> str:
    """Return a text that every database stores; ordinary text stays as it is."""
    return _UNSTORABLE.sub(lambda match: f"\x1b{ord(match[0]):04x}", text)


def from_storable(text: str) -> str:
    """Return the text that ``to_storable`` was given."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


class AnyText(TypeDecorator[str]):
    """Text of any characters."""

    impl = Text
    cache_ok = True

    @override
    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else to_storable(value)

    @override
    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else from_storable(value)


class JsonText(TypeDecorator[Any]):
    """A JSON value as ASCII text: NUL, surrogates and integers of any size come back as they were.

    ``None`` is the absence of a value, not JSON ``null``.
    """

    impl = Text
    cache_ok = True

    @override
    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"))

    @override
    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, returned in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    @override
    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    @override
    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        # SQLite forgets the zone of what it stored.
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
