"""The review format as request and response models; two controllers share it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from src.application.turns import ChatTurn
from src.interface.http.fields import Note, ThreadId, ToolArgs, ToolName


class ActionRequest(BaseModel):
    """An action that waits for a decision."""

    name: str
    args: dict[str, Any]
    description: str


class ReviewConfig(BaseModel):
    """What may be decided about the action at the same place in ``action_requests``."""

    action_name: str
    allowed_decisions: list[str]


class PendingReview(BaseModel):
    """All actions that wait, in the order of the model's calls."""

    action_requests: list[ActionRequest]
    review_configs: list[ReviewConfig]


class EditedAction(BaseModel):
    """The action to run instead; ``args`` replaces all arguments."""

    name: ToolName
    args: ToolArgs


class ApproveDecision(BaseModel):
    """Run the action as it is."""

    type: Literal["approve"]


class EditDecision(BaseModel):
    """Run another action instead. Without ``edited_action`` the review is refused with 400."""

    type: Literal["edit"]
    edited_action: EditedAction | None = None


class RejectDecision(BaseModel):
    """Do not run the action; the model is told ``message``."""

    type: Literal["reject"]
    message: Note | None = None


Decision = Annotated[ApproveDecision | EditDecision | RejectDecision, Field(discriminator="type")]


class ReviewRequest(BaseModel):
    """One decision per waiting action, in the order shown.

    With ``review_id`` the decisions count only for the pause that they were made for.
    """

    thread_id: ThreadId
    decisions: Annotated[list[Decision], Field(min_length=1)]
    review_id: str | None = None

    def plain_decisions(self) -> list[dict[str, Any]]:
        """Return the decisions as the application takes them."""
        return [decision.model_dump(exclude_none=True) for decision in self.decisions]


class ReviewedChatResponse(BaseModel):
    """What a turn ended with; one of ``answer`` and ``pending_review`` is null."""

    thread_id: str
    answer: str | None
    pending_review: PendingReview | None
    review_id: str | None

    @classmethod
    def of(cls, turn: ChatTurn, thread_id: str) -> "ReviewedChatResponse":
        """Describe a turn of this conversation."""
        return cls(
            thread_id=thread_id,
            answer=turn.answer,
            pending_review=PendingReview.model_validate(turn.pending_review)
            if turn.pending_review is not None
            else None,
            review_id=turn.review_id,
        )
