import threading
from collections import OrderedDict
from collections.abc import Callable

_MOST_ENTRIES = 1_000
"""Far more than runs can start at one moment; what is older was left by runs that failed."""

_Place = tuple[str, str]


class _HeldState:
    def __init__(self, checkpoint_id: str, store: Callable[[], None]) -> None:
        self.checkpoint_id = checkpoint_id
        self._store: Callable[[], None] | None = store
        self._guard = threading.Lock()

    def store(self) -> None:
        with self._guard:
            if self._store is not None:
                self._store()
                self._store = None

    def settle(self) -> None:
        with self._guard:
            self._store = None


class HeldStates:
    """States that are stored only if something refers to them before the next one comes.

    LangGraph's threads may bring what a task wrote before the state that it belongs to; then that
    state is not held back.
    """

    def __init__(self) -> None:
        self._held: OrderedDict[_Place, _HeldState] = OrderedDict()
        self._needed: OrderedDict[_Place, str] = OrderedDict()
        self._guard = threading.Lock()

    def hold(self, place: _Place, checkpoint_id: str, store: Callable[[], None]) -> bool:
        """Hold a state back; ``False`` when it is needed already.

        Args:
            place: thread and namespace.
            checkpoint_id: of the state.
            store: stores it; not called when it returned before.
        """
        with self._guard:
            if self._needed.pop(place, None) == checkpoint_id:
                return False
            self._held[place] = _HeldState(checkpoint_id, store)
            _shorten(self._held)
            return True

    def need(self, place: _Place, checkpoint_id: str) -> None:
        """Store a state if it is held back, or see to it that it will not be."""
        with self._guard:
            held = self._held.get(place)
            if held is None or held.checkpoint_id != checkpoint_id:
                self._needed[place] = checkpoint_id
                _shorten(self._needed)
                return
        held.store()

    def store(self, place: _Place, checkpoint_id: str | None) -> None:
        """Store a state if it is held back."""
        with self._guard:
            held = self._held.get(place)
        if held is not None and held.checkpoint_id == checkpoint_id:
            held.store()

    def settle(self, place: _Place) -> None:
        """Forget what is held back here: another state takes its place. Waits if it is stored."""
        with self._guard:
            held = self._held.pop(place, None)
        if held is not None:
            held.settle()

    def forget(self, thread_id: str) -> None:
        """Forget all that is held back of a thread."""
        with self._guard:
            places = [place for place in self._held if place[0] == thread_id]
        for place in places:
            self.settle(place)


def _shorten(entries: OrderedDict[_Place, "_HeldState"] | OrderedDict[_Place, str]) -> None:
    while len(entries) > _MOST_ENTRIES:
        entries.popitem(last=False)
