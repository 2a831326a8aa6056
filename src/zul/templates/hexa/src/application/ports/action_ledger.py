from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol


class ActionStatus(StrEnum):
    """Where an approved action stands."""

    RUNNING = "running"
    """Claimed; whoever claimed it has not written an outcome yet, and may have died."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """It was tried, and the tool raised or refused its arguments."""

    UNKNOWN = "unknown"
    """Claimed, and then its process died or its time was over: it may or may not have run, and is
    not run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One approved tool call.

    Attributes:
        key: a digest of conversation, model message, call and exact arguments.
        args: JSON object.
    """

    key: str
    thread_id: str
    tool_call_id: str
    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOutcome:
    """What an action left behind.

    Attributes:
        status: ``SUCCEEDED`` or ``FAILED``.
        content: the content of the tool's result, JSON.
        raised: the tool raised an exception (rather than returning an error).
    """

    status: ActionStatus
    content: Any
    raised: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRecord:
    """A line of the ledger. ``outcome`` is ``None`` while running or when unknown. Times in UTC."""

    action: Action
    status: ActionStatus
    outcome: ActionOutcome | None
    claimed_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The answer to a claim.

    ``granted`` means: run it now. Otherwise ``outcome`` holds what an earlier run left, or is
    ``None`` when nobody can say whether an earlier run took effect.
    """

    granted: bool
    outcome: ActionOutcome | None = None


class ActionLedger(Protocol):
    """Makes an approved action run at most once, whatever happens around it.

    A claim is durable before it is granted. Every method raises ``StoreError`` when the store did
    not answer; nothing may run then.
    """

    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        """Ask for the right to run an action; of any number of askers one is granted.

        Asking again for an action that was claimed but has no outcome notes it as ``UNKNOWN``;
        with ``repeatable`` it is granted again instead. The caller holds the conversation's lock,
        so nobody still waits for it.
        """
        ...

    def give_up(self, key: str) -> None:
        """Note an action that nobody waits for any more as ``UNKNOWN``.

        An outcome that comes all the same can still be recorded.
        """
        ...

    def release(self, key: str) -> None:
        """Take back the claim of an action that paused for a person before it did anything.

        It is claimed again when it goes on. An action with an outcome stays as it is.
        """
        ...

    def record(self, key: str, outcome: ActionOutcome) -> None:
        """Write the outcome of a granted action, also of one that was given up.

        An outcome already written stays as it is.
        """
        ...

    def records(self, thread_id: str) -> list[ActionRecord]:
        """Return all lines of the conversation, oldest first."""
        ...

    def erase(self, thread_id: str) -> None:
        """Forget the conversation's lines."""
        ...
