"""What a failure is called in front of a person, and how the log stays out of the chat."""

import logging
from types import TracebackType
from typing import TypeAlias

from pydantic import ValidationError
from typing_extensions import override

from src.application.errors import ServiceError
from src.domain.exceptions import DomainError
from src.infrastructure.logs import MaskingFormatter, mask_secrets
from src.interface.cli.visible import harmless

_ExcInfo: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


def reason_of(error: Exception) -> str:
    """Return the reason in one text; what the application did not foresee keeps its own words."""
    if isinstance(error, DomainError | ServiceError):
        return harmless(str(error))
    return harmless(mask_secrets(f"{type(error).__name__}: {error}"))


def wrong_settings(error: ValidationError) -> str:
    """Return which settings are wrong, and why, without their values."""
    faults = (f"  {str(fault['loc'][0]).upper()}: {fault['msg']}" for fault in error.errors())
    return "\n".join(["pengaturan salah.", *faults])


class BriefFormatter(MaskingFormatter):
    """Names the exception and leaves the traceback out."""

    @override
    def formatException(self, ei: _ExcInfo) -> str:
        return f"  {ei[0].__name__}: {ei[1]}" if ei[0] else ""


def keep_log_quiet() -> None:
    """Send warnings and worse to standard error, each without a traceback."""
    handler = logging.StreamHandler()
    handler.setFormatter(BriefFormatter())
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.addHandler(handler)
    logging.captureWarnings(capture=True)
