"""What a failed call of a chat model means to the application.

Providers are told apart by nothing but the names of their exception classes, so that no SDK is
imported here. Texts of providers are never repeated: they may hold keys, addresses and prompts.
"""

import email.utils
import math
import time
from collections.abc import Iterator

from src.application.errors import ModelCallError, ModelTimeoutError

_TIMEOUT_CLASSES = frozenset(
    {"APITimeoutError", "ModelTimeoutError", "TimeoutError", "TimeoutException"}
)
_CONNECTION_CLASSES = frozenset(
    {"APIConnectionError", "ConnectionError", "ModelConnectionError", "TransportError"}
)
_TOO_LONG_CLASSES = frozenset({"ContextOverflowError"})

_TEXTS = {
    400: "Model bahasa menolak permintaan ini.",
    401: "Model bahasa menolak kunci API. Periksa kunci API di pengaturan.",
    403: "Model bahasa menolak kunci API. Periksa kunci API di pengaturan.",
    404: "Model bahasa tidak ditemukan. Periksa LLM_MODEL di pengaturan.",
    422: "Model bahasa menolak permintaan ini.",
    429: "Model bahasa sedang menerima terlalu banyak permintaan. Coba lagi nanti.",
}
_TOO_LONG_TEXT = "Percakapan ini terlalu panjang untuk model bahasa."


def translate_model_error(error: Exception) -> ModelCallError:
    """Return the application's error for ``error``, without any of its text."""
    if isinstance(error, ModelCallError):
        return error
    chain = list(_chain(error))
    if _has_class(chain, _TIMEOUT_CLASSES):
        return ModelTimeoutError()
    retry_after = retry_after_seconds(error)
    if _has_class(chain, _TOO_LONG_CLASSES):
        return ModelCallError(_TOO_LONG_TEXT)
    text = _TEXTS.get(status_code(error) or 0)
    if text is None:
        return ModelCallError(retry_after_seconds=retry_after)
    return ModelCallError(text, retry_after_seconds=retry_after)


def is_retryable(error: Exception) -> bool:
    """Tell whether the same call may succeed a moment later: 429, 5xx or no connection."""
    if isinstance(error, ModelCallError):
        return False
    chain = list(_chain(error))
    # A used-up quota comes as 429 too, and no waiting helps.
    if any(getattr(part, "code", None) == "insufficient_quota" for part in chain):
        return False
    status = status_code(error)
    if status is not None:
        return status in {408, 429} or status >= 500
    return _has_class(chain, _TIMEOUT_CLASSES | _CONNECTION_CLASSES)


def status_code(error: Exception) -> int | None:
    """Return the HTTP status that the provider answered with, where there is one."""
    for part in _chain(error):
        for owner in (part, getattr(part, "response", None)):
            for name in ("status_code", "code"):
                status = getattr(owner, name, None)
                if isinstance(status, int) and 400 <= status < 600:
                    return status
    return None


def retry_after_seconds(error: Exception) -> float | None:
    """Return how long the provider asked to wait, where it did."""
    for part in _chain(error):
        headers = getattr(getattr(part, "response", None), "headers", None)
        if headers is None:
            continue
        for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
            seconds = _seconds(headers.get(name))
            if seconds is not None:
                return seconds / divisor
    return None


def _seconds(value: str | None) -> float | None:
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _seconds_until(date: str) -> float:
    try:
        return max(0.0, email.utils.parsedate_to_datetime(date).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _has_class(chain: list[BaseException], names: frozenset[str]) -> bool:
    return any(cls.__name__ in names for part in chain for cls in type(part).__mro__)
