"""What a tool can say and learn about the action that it carries out.

An action is one approved tool call. Its key stays the same however often the call is delivered,
so a tool can hand it to the service it calls as that service's idempotency key.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool

_REPEATABLE = "repeatable"
_current_key: ContextVar[str | None] = ContextVar("current_action_key", default=None)

ToolT = TypeVar("ToolT", bound=BaseTool)


def current_action_key() -> str | None:
    """Return the key of the action that the calling tool carries out.

    ``None`` outside a tool and in a tool that ran without needing approval.
    """
    return _current_key.get()


@contextmanager
def carrying_out(key: str) -> Iterator[None]:
    """Let tools called inside the ``with`` block read ``key``."""
    token = _current_key.set(key)
    try:
        yield
    finally:
        _current_key.reset(token)


def repeatable(tool: ToolT) -> ToolT:
    """Declare that running ``tool`` twice does what running it once does.

    When a crash leaves it unknown whether such an action ran, it is run again by itself. Use it
    for tools that only read, or that pass ``current_action_key()`` on to a service that honours
    idempotency keys.
    """
    tool.metadata = {**(tool.metadata or {}), _REPEATABLE: True}
    return tool


def is_repeatable(tool: BaseTool | None) -> bool:
    """Tell whether ``tool`` was declared with ``repeatable``."""
    return bool(tool is not None and (tool.metadata or {}).get(_REPEATABLE))


def action_key(thread_id: str, message_id: str | None, call: ToolCall) -> str:
    """Return the digest that identifies this very call with these very arguments."""
    parts = [thread_id, message_id, call["id"], call["name"], call["args"]]
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """Return one text for equal JSON values, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
