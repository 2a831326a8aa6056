from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """Something that happened in a run.

    Attributes:
        number: counts from 1 within the run, without gaps.
        type: what happened.
        data: JSON object.
    """

    number: int
    type: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One streamed turn.

    Attributes:
        run_id: nobody can guess it.
        fingerprint: a digest of the request that started it.
        finished: no event will follow.
    """

    run_id: str
    thread_id: str
    fingerprint: str
    finished: bool = False


def run_lock(run_id: str) -> str:
    """Return the name to hold while a run is at work; one that died holds it no more."""
    return f"\x1frun:{run_id}"  # no thread id can start like this: they are printable


class RunLog(Protocol):
    """Keeps the events of streamed turns, so that whoever lost the stream can read on.

    Events are kept for an hour or so after they happened. Every method raises ``StoreError`` when
    the store did not answer.
    """

    def start(self, run: Run) -> bool:
        """Note a new run; ``False`` when a run of this id was started before."""
        ...

    def find(self, run_id: str) -> Run | None:
        """Return the run."""
        ...

    def running(self, thread_id: str) -> str | None:
        """Return the id of the newest run of the conversation that has not finished."""
        ...

    def append(self, run_id: str, events: Sequence[RunEvent]) -> None:
        """Keep events; their numbers follow those kept before. An erased run's are dropped."""
        ...

    def discard(self, run_id: str) -> None:
        """Forget a run that was refused before its first event, so that its id is free again."""
        ...

    def finish(self, run_id: str) -> None:
        """Note that no event will follow. Repeating is harmless."""
        ...

    def read(self, run_id: str, after: int) -> list[RunEvent]:
        """Return the kept events with numbers above ``after``, in order."""
        ...

    def erase(self, thread_id: str) -> None:
        """Forget the conversation's runs."""
        ...
