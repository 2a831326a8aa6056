"""What all three stores, JSON and the providers can hold, and what to do about the rest.

Values of a person or a tool call are refused (``unstorable_part``): changing them would be
guessing. Everything else is replaced (``clean_text``, ``storable``), because a conversation that
cannot be stored cannot go on.
"""

import json
import math
from typing import Any

from src.application.AI.agents.limits import DEFAULT_LIMITS, Limits

REPLACEMENT = "\ufffd"
TOO_DEEP = "[nested too deeply]"

_ROOM = 128
"""More than ``Limits.nesting`` may be, for copies of arguments that lie deeper than they do."""

_INTEGERS = range(-(2**63), 2**64)  # MessagePack has no others


def clean_text(text: str) -> str:
    """Replace NUL and lone halves of a surrogate pair; two halves that meet are joined."""
    if not _is_utf8(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", REPLACEMENT)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(value: Any, room: int = _ROOM) -> Any:
    """Return ``value`` as plain data; what is storable already stays byte for byte as it is.

    Args:
        value: anything.
        room: how many levels of objects and lists may follow.
    """
    if isinstance(value, str):
        return clean_text(str(value))
    if value is None or isinstance(value, bool | bytes):
        return value
    if isinstance(value, int):
        return int(value) if value in _INTEGERS else hex(value)
    if isinstance(value, float):
        return float(value)
    return _storable_parts(value, room - 1) if room else TOO_DEEP


def _storable_parts(value: Any, room: int) -> Any:
    if isinstance(value, dict):
        return {clean_text(str(key)): storable(part, room) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(part, room) for part in value]
    if hasattr(value, "model_dump"):
        return storable(value.model_dump(), room)
    return clean_text(str(value))


def storable_content(parts: list[Any]) -> list[Any]:
    """Return the texts and blocks of a message's content as plain data.

    A block whose type is no text is left out: LangChain itself fails on the next call with it.
    """
    return [
        part if isinstance(part, str | dict) else str(part)
        for part in storable(parts)
        if not isinstance(part, dict) or isinstance(part.get("type", ""), str)
    ]


def json_only(value: Any) -> Any:
    """Return ``storable`` data in which numbers that JSON lacks and bytes have become text."""
    if isinstance(value, dict):
        return {key: json_only(part) for key, part in value.items()}
    if isinstance(value, list):
        return [json_only(part) for part in value]
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return value


def unstorable_part(args: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> str | None:
    """Say which argument cannot be kept and why, or return ``None`` when all can."""
    for name, value in args.items():
        fault = _fault(name, 1) or _fault(value, limits.nesting)
        if fault is not None:
            return f"Argument {name!a} {fault}"
    sizes = {name: len(json.dumps(value, ensure_ascii=False)) for name, value in args.items()}
    if sum(sizes.values()) <= limits.argument_chars:
        return None
    largest = max(sizes, key=lambda name: sizes[name])
    return (
        f"Argument {largest!a} is too long: all arguments together may have "
        f"{limits.argument_chars} characters"
    )


def _fault(value: Any, room: int) -> str | None:
    if isinstance(value, str):
        return unstorable_text(value)
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return None if value in _INTEGERS else "has an integer that does not fit into 64 bits"
    if isinstance(value, float):
        return None if math.isfinite(value) else "has a number that JSON lacks (NaN or Infinity)"
    return _fault_of_parts(value, room)


def unstorable_text(text: str) -> str | None:
    """Say why a text cannot be kept, or return ``None`` when it can."""
    if "\x00" in text:
        return "has a NUL character"
    return None if _is_utf8(text) else "has half of a surrogate pair"


def _fault_of_parts(value: Any, room: int) -> str | None:
    if not isinstance(value, dict | list):
        return f"has a value that JSON lacks ({type(value).__name__})"
    if not room:
        return "is nested too deeply"
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return next(filter(None, (_fault(part, room - 1) for part in parts)), None)
