from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """A successful answer given under an idempotency key.

    Attributes:
        key: chosen by the client, qualified by the endpoint.
        fingerprint: a digest of the request that was answered.
        thread_id: the conversation it belongs to, so that erasing finds it.
        body: JSON text.
    """

    key: str
    fingerprint: str
    thread_id: str
    body: str


def answers_lock(thread_id: str) -> str:
    """Return the name to hold while a request under a key is served or its conversation erased.

    An answer is saved after its turn let go of the conversation. Who erases the conversation waits
    for that, or the answer would outlive it. Taken before the conversation itself.
    """
    return f"\x1fanswers:{thread_id}"  # no thread id can start like this: they are printable


class AnswerStore(Protocol):
    """Keeps answers so that a repeated request gets the first one's answer.

    Every method raises ``StoreError`` when the store did not answer.
    """

    def find(self, key: str) -> StoredAnswer | None:
        """Return the answer kept under this key, unless it is older than the retention time."""
        ...

    def save(self, answer: StoredAnswer) -> None:
        """Keep an answer; one already kept under the same key stays as it is."""
        ...

    def erase(self, thread_id: str) -> None:
        """Forget the conversation's answers."""
        ...
