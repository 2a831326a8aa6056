import threading
from collections.abc import Callable
from functools import _lru_cache_wrapper, update_wrapper
from typing import Generic, TypeVar

T = TypeVar("T")


class BuiltOnce(Generic[T]):
    """A cached builder that runs once even when many threads ask at the same moment.

    ``lru_cache`` alone does not lock while it computes: eight simultaneous first requests would
    build eight agents, and with a store in memory split the conversations among them.
    """

    def __init__(self, build: _lru_cache_wrapper[T]) -> None:
        self._build = build
        self._guard = threading.RLock()
        update_wrapper(self, build)

    def __call__(self) -> T:
        """Return the object, building it if nobody has."""
        with self._guard:
            return self._build()

    def cache_clear(self) -> None:
        """Forget the object; the next call builds a new one."""
        self._build.cache_clear()


def build_once(build: Callable[[], T]) -> BuiltOnce[T]:
    """Guard a builder that is decorated with ``lru_cache``."""
    assert isinstance(build, _lru_cache_wrapper)  # noqa: S101  # a mistake of the programmer
    return BuiltOnce(build)
