import threading
from collections import OrderedDict
from collections.abc import Iterable

from src.infrastructure.AI.memory.known_state import KnownState

DEFAULT_MAX_BYTES = 50_000_000
MESSAGE_BYTES = 4_000
"""What a message takes in memory beside its content."""


class StateCache:
    """Remembers the messages of recent states, so that a long history is decoded once.

    The database stays the truth: an entry counts only for the checkpoint id that is stored. It
    also tells a writer which messages are new.

    Args:
        max_bytes: about how much memory all the messages may take. The newest state stays
            whatever it takes: its run needs it.
    """

    def __init__(self, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[tuple[str, str], KnownState] = OrderedDict()
        self._rewritten: dict[tuple[str, str], set[str | None]] = {}
        self._bytes = 0
        self._guard = threading.Lock()

    def find(self, thread_id: str, ns: str, checkpoint_id: str | None) -> KnownState | None:
        """Return the messages of exactly this state."""
        with self._guard:
            known = self._entries.get((thread_id, ns))
            if known is None or known.checkpoint_id != checkpoint_id:
                return None
            self._entries.move_to_end((thread_id, ns))
            return known

    def newest(self, thread_id: str, ns: str) -> KnownState | None:
        """Return the newest state that this process knows of."""
        with self._guard:
            return self._entries.get((thread_id, ns))

    def note_rewritten(self, thread_id: str, ns: str, message_ids: Iterable[str | None]) -> None:
        """Note messages that a task wrote: a known one may be another now, as the same object."""
        with self._guard:
            if (thread_id, ns) in self._entries:
                self._rewritten.setdefault((thread_id, ns), set()).update(message_ids)

    def take_rewritten(self, thread_id: str, ns: str) -> set[str | None]:
        """Return what was noted since the last call."""
        with self._guard:
            return self._rewritten.pop((thread_id, ns), set())

    def keep(self, thread_id: str, ns: str, known: KnownState) -> None:
        """Remember a state in place of the earlier one of the same thread."""
        with self._guard:
            self._remove((thread_id, ns))
            self._entries[thread_id, ns] = known
            self._bytes += _bytes_of(known)
            while self._bytes > self._max_bytes and len(self._entries) > 1:
                self._drop(next(iter(self._entries)))

    def forget(self, thread_id: str) -> None:
        """Forget all states of a thread."""
        with self._guard:
            for key in [key for key in self._entries if key[0] == thread_id]:
                self._drop(key)

    def _drop(self, key: tuple[str, str]) -> None:
        self._remove(key)
        self._rewritten.pop(key, None)

    def _remove(self, key: tuple[str, str]) -> None:
        known = self._entries.pop(key, None)
        if known is not None:
            self._bytes -= _bytes_of(known)


def _bytes_of(known: KnownState) -> int:
    return known.size + (len(known.messages) + 1) * MESSAGE_BYTES
