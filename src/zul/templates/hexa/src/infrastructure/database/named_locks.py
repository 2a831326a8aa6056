import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Protocol

_FIRST_PAUSE_SECONDS = 0.005
_LONGEST_PAUSE_SECONDS = 0.05

_SHORTEST_PATIENCE_SECONDS = 2.0
"""Who waits for no other holder still waits for the answer whether there is one."""


class NamedLocks(Protocol):
    """Exclusive locks between processes, named by numbers of 62 bits.

    A lock ends with the process that holds it. No method waits for another holder.
    """

    def try_acquire(self, name: int, *, patience_seconds: float) -> bool:
        """Take the lock, or return ``False`` when somebody, here or elsewhere, holds it.

        Args:
            name: of the lock.
            patience_seconds: how long to wait for others of this process that are asking.

        Raises:
            StoreError: nobody can tell.
        """
        ...

    def release(self, name: int) -> bool:
        """Give the lock back; ``False`` when it had been lost before."""
        ...


def lock_name(*parts: str) -> int:
    """Return a number of 62 bits; as a file offset or a PostgreSQL key it is in range."""
    text = "\x1f".join(("zul", *parts))
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 2


def acquire(locks: NamedLocks, name: int, *, wait_seconds: float) -> bool:
    """Ask until the lock is granted or the wait is over, and tell which of the two.

    The pause between two questions grows.

    Asking again is deliberate: PostgreSQL's blocking form would occupy the shared connection, and
    deadlocks with ``CREATE INDEX CONCURRENTLY``.

    Raises:
        StoreError: nobody can tell.
    """
    deadline = time.monotonic() + wait_seconds
    pause = _FIRST_PAUSE_SECONDS
    remaining = wait_seconds
    while not locks.try_acquire(name, patience_seconds=max(remaining, _SHORTEST_PATIENCE_SECONDS)):
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return False
        time.sleep(min(pause, remaining))
        pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
    return True


@contextmanager
def holding(locks: NamedLocks, name: int, *, wait_seconds: float) -> Iterator[None]:
    """Hold a lock for the length of a ``with`` block.

    Raises:
        TimeoutError: somebody else still holds it after the wait.
        StoreError: nobody can tell.
    """
    if not acquire(locks, name, wait_seconds=wait_seconds):
        raise TimeoutError
    try:
        yield
    finally:
        locks.release(name)
