from contextlib import AbstractContextManager
from typing import Protocol


class ConversationLock(Protocol):
    """Lets one request at a time work on a conversation; others of that conversation wait.

    Conversations never wait for each other. A hold ends with its owner: a process that dies
    releases what it held. A hold is not re-entrant.
    """

    def hold(
        self, thread_id: str, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[None]:
        """Hold the conversation for the length of a ``with`` block.

        Args:
            thread_id: the conversation.
            wait_seconds: the longest wait; ``None`` is the wait the adapter was made with, ``0``
                asks once.

        Raises:
            ConversationBusyError: somebody else still holds it after the wait.
            StoreError: the store behind the lock did not answer.
        """
        ...
