"""Logging: one line format, the request's id on every line, secrets masked."""

import logging
import re
from contextvars import ContextVar

from typing_extensions import override

request_id: ContextVar[str] = ContextVar("request_id", default="-")
"""The id of the request being served; set at the edge."""

# They report every step at INFO; what the service says about the same events is enough.
_TALKATIVE = ("alembic",)

_MASK = "***"
_SECRETS = (
    # Keys as providers issue them.
    re.compile(r"\b(?:sk|pk|rk|gsk|xox[abp]|ghp|AIza)[-_A-Za-z0-9]{6,}"),
    # user:password@ in an address.
    re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"),
    # name=value and "name": "value" of anything that is called a secret.
    re.compile(
        r"(?i)(?P<kept>(?:api[_-]?key|password|passwd|secret|token|authorization)"
        r"[\"']?\s*[=:]\s*[\"']?(?:bearer\s+)?)[^\s\"',;&)}]{4,}"
    ),
)


def mask_secrets(text: str) -> str:
    """Return ``text`` with everything that looks like a key or password replaced."""
    for pattern in _SECRETS:
        text = pattern.sub(lambda m: m.groupdict().get("kept", "") + _MASK, text)
    return text


class MaskingFormatter(logging.Formatter):
    """Adds the request's id and masks secrets, in tracebacks too."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s [%(request_id)s] %(name)s: %(message)s")

    @override
    def format(self, record: logging.LogRecord) -> str:
        record.request_id = request_id.get()
        return mask_secrets(super().format(record))


def configure_logging(level: str) -> None:
    """Send the log of the whole process to standard error, once.

    Args:
        level: a level's name such as ``INFO``.

    Raises:
        ValueError: there is no such level.
    """
    root = logging.getLogger()
    root.setLevel(level.upper())
    for name in _TALKATIVE:
        wanted = logging.NOTSET if root.level <= logging.DEBUG else logging.WARNING
        logging.getLogger(name).setLevel(wanted)
    if not any(isinstance(handler.formatter, MaskingFormatter) for handler in root.handlers):
        handler = logging.StreamHandler()
        handler.setFormatter(MaskingFormatter())
        root.addHandler(handler)
