import threading
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, Protocol, TypeVar, cast

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class CachedBuilder(Protocol[T_co]):
    """A builder decorated with ``lru_cache``."""

    def __call__(self) -> T_co:
        """Return the cached object."""
        ...

    def cache_clear(self) -> None:
        """Forget the object."""
        ...

    def cache_info(self) -> Any:
        """Return the counts of the cache."""
        ...


class BuiltOnce(Generic[T]):
    """A cached builder that runs once even when many threads ask at the same moment.

    ``lru_cache`` alone does not lock while it computes: eight simultaneous first requests would
    build eight agents, and with a store in memory split the conversations among them.
    """

    def __init__(self, build: CachedBuilder[T]) -> None:
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

    def cache_info(self) -> Any:
        """Return the counts of the cache."""
        return self._build.cache_info()


def build_once(build: Callable[[], T]) -> BuiltOnce[T]:
    """Guard a builder that is decorated with ``lru_cache``."""
    # ``lru_cache`` has no public type that says what it adds to a function.
    return BuiltOnce(cast("CachedBuilder[T]", build))
