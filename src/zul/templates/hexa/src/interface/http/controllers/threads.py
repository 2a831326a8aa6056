"""Conversations as response models; every agent's endpoints share them."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from src.application.ports.action_ledger import ActionRecord
from src.application.usecases.conversations import ConversationsUseCase, Entry
from src.interface.http.controllers.reviews import PendingReview


class ThreadMessage(BaseModel):
    """A line of the conversation as people read it.

    ``rejected``: the result ``failed`` because a person did not let the call run.
    """

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: list[dict[str, Any]] = []
    name: str | None = None
    tool_call_id: str | None = None
    failed: bool = False
    rejected: bool = False

    @classmethod
    def of(cls, entry: Entry) -> "ThreadMessage":
        """Describe a line."""
        return cls(
            role=entry.role,
            text=entry.text,
            tool_calls=list(entry.tool_calls),
            name=entry.name,
            tool_call_id=entry.tool_call_id,
            failed=entry.failed,
            rejected=entry.rejected,
        )


class ThreadAction(BaseModel):
    """What became of an approved action. ``unknown``: it may or may not have taken effect."""

    name: str
    args: dict[str, Any]
    tool_call_id: str
    status: Literal["running", "succeeded", "failed", "unknown"]
    claimed_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, record: ActionRecord) -> "ThreadAction":
        """Describe a line of the ledger."""
        action = record.action
        return cls(
            name=action.name,
            args=action.args,
            tool_call_id=action.tool_call_id,
            status=record.status.value,
            claimed_at=record.claimed_at,
            finished_at=record.finished_at,
        )


class ThreadResponse(BaseModel):
    """A conversation as it is stored now.

    ``unfinished`` says that a turn stopped half-way; the next request takes it up. ``run_id`` is
    the streamed turn that is running now: follow it to see the rest.
    """

    thread_id: str
    messages: list[ThreadMessage]
    pending_review: PendingReview | None
    review_id: str | None
    unfinished: bool
    run_id: str | None
    actions: list[ThreadAction]


def show(thread_id: str, usecase: ConversationsUseCase) -> ThreadResponse:
    """Return a conversation."""
    view = usecase.show(thread_id)
    return ThreadResponse(
        thread_id=thread_id,
        messages=[ThreadMessage.of(entry) for entry in view.entries],
        pending_review=PendingReview.model_validate(view.pending_review)
        if view.pending_review is not None
        else None,
        review_id=view.review_id,
        unfinished=view.unfinished,
        run_id=view.run_id,
        actions=[ThreadAction.of(record) for record in view.actions],
    )


def erase(thread_id: str, usecase: ConversationsUseCase) -> None:
    """Erase a conversation."""
    usecase.erase(thread_id)
