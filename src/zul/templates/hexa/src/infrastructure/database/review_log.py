from typing import Any

from sqlalchemy import Engine, Row, bindparam, delete, select, update
from typing_extensions import override

from src.application.ports.review_log import AcceptedReview, ReviewLog
from src.domain.exceptions import ReviewAlreadyDecidedError
from src.infrastructure.database.statements import Statements
from src.infrastructure.database.tables import reviews

_IN_SCOPE = reviews.c.scope == bindparam("in_scope")
_OF_THREAD = (_IN_SCOPE, reviews.c.thread_id == bindparam("of_thread"))
_HISTORY = select(reviews).where(*_OF_THREAD).order_by(reviews.c.id)
_UNSETTLED = _HISTORY.where(reviews.c.settled.is_(False)).limit(1)
_SETTLE = (
    update(reviews)
    .where(*_OF_THREAD, reviews.c.review_id == bindparam("of_review"))
    .values(settled=True)
)
_ERASE = delete(reviews).where(*_OF_THREAD)


def _to_review(row: Row[Any]) -> AcceptedReview:
    return AcceptedReview(
        thread_id=row.thread_id,
        review_id=row.review_id,
        pending_review=row.pending_review,
        decisions=row.decisions,
        resume=row.resume,
        accepted_at=row.accepted_at,
        settled=row.settled,
    )


class DatabaseReviewLog(ReviewLog):
    """Keeps accepted reviews in the database."""

    def __init__(self, engine: Engine, scope: str) -> None:
        self._statements = Statements(engine)
        self._scope = scope
        self._accept = self._statements.insert(reviews).on_conflict_do_nothing()

    @override
    def accept(self, review: AcceptedReview) -> None:
        row = {
            "scope": self._scope,
            "thread_id": review.thread_id,
            "review_id": review.review_id,
            "pending_review": review.pending_review,
            "decisions": review.decisions,
            "resume": review.resume,
            "accepted_at": review.accepted_at,
            "settled": review.settled,
        }
        if self._statements.change(self._accept, row) != 1:
            raise ReviewAlreadyDecidedError

    @override
    def unsettled(self, thread_id: str) -> AcceptedReview | None:
        rows = self._statements.rows(_UNSETTLED, self._of(thread_id))
        return _to_review(rows[0]) if rows else None

    @override
    def settle(self, thread_id: str, review_id: str) -> None:
        self._statements.change(_SETTLE, {**self._of(thread_id), "of_review": review_id})

    @override
    def history(self, thread_id: str) -> list[AcceptedReview]:
        return [_to_review(row) for row in self._statements.rows(_HISTORY, self._of(thread_id))]

    @override
    def erase(self, thread_id: str) -> None:
        self._statements.change(_ERASE, self._of(thread_id))

    def _of(self, thread_id: str) -> dict[str, str]:
        return {"in_scope": self._scope, "of_thread": thread_id}
