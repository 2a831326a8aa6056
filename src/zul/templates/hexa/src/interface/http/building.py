import threading
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, Protocol, TypeVar, cast

from starlette.concurrency import run_in_threadpool
from typing_extensions import override

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

    @property
    def is_built(self) -> bool:
        """Whether a call would return at once."""
        return bool(self.cache_info().currsize)

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


class Provided(Generic[T]):
    """A builder as a dependency that takes a worker thread only while it has to build.

    FastAPI calls a plain function in a worker thread, and handing over to a thread and back costs
    a request more than all the rest of its dependencies. The builder itself stays the key of
    ``app.dependency_overrides``: there this object is equal to it.
    """

    def __init__(self, build: BuiltOnce[T]) -> None:
        self._build = build

    async def __call__(self) -> T:
        """Return the object, building it if nobody has."""
        if self._build.is_built:
            return self._build()
        return await run_in_threadpool(self._build)

    @override
    def __eq__(self, other: object) -> bool:
        return other is self._build or (isinstance(other, Provided) and other._build is self._build)

    @override
    def __hash__(self) -> int:
        return hash(self._build)
