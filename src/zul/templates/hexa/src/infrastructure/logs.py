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
_SCHEME = r"(?:(?:bearer|basic|digest|token)\s+)?"
_SECRETS = (
    # Keys as providers issue them, and signed tokens.
    re.compile(
        r"\b(?:(?:sk|pk|rk|gsk|xai|hf|nvapi|xox[abp]|gh[opsu]|github_pat)[-_]|AIza|AKIA|eyJ)"
        r"[-_.A-Za-z0-9]{6,}"
    ),
    # user:password@ and token@ in an address, also where a password holds "@", "/" or ":". It has
    # a longest length because every address would be searched to the end of the text.
    re.compile(r"(?<=://)(?:[^\s/@:\"'<>]{0,200}:[^\s\"'<>]{1,200}|[^\s/@:\"'<>]{1,200})(?=@)"),
    # name=value and "name": "value" of anything that is called a secret; in quotes up to their end.
    re.compile(
        r"(?i)(?P<kept>(?:(?:api|access|subscription)[_-]?key|passw(?:or)?d|pwd|secret|token"
        r"|authorization|cookie|[?&](?:key|sig|signature))[\"']?\s*[=:]\s*(?:b?(?P<quote>[\"']))?"
        rf"{_SCHEME})(?(quote)(?:(?!(?P=quote)).){{4,}}|[^\s\"',;&)}}]{{4,}})"
    ),
    # What follows the scheme of an Authorization header, wherever it stands.
    re.compile(r"(?i)(?P<kept>\b(?:bearer|basic)\s+)[-._~+/A-Za-z0-9]{16,}=*"),
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
