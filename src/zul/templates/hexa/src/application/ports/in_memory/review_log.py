import threading
from dataclasses import replace

from typing_extensions import override

from src.application.ports.review_log import AcceptedReview, ReviewLog
from src.domain.exceptions import ReviewAlreadyDecidedError


class InMemoryReviewLog(ReviewLog):
    """Keeps accepted reviews until the process ends."""

    def __init__(self) -> None:
        self._reviews: dict[str, dict[str, AcceptedReview]] = {}
        self._guard = threading.Lock()

    @override
    def accept(self, review: AcceptedReview) -> None:
        with self._guard:
            reviews = self._reviews.setdefault(review.thread_id, {})
            if review.review_id in reviews:
                raise ReviewAlreadyDecidedError
            reviews[review.review_id] = review

    @override
    def unsettled(self, thread_id: str) -> AcceptedReview | None:
        return next((review for review in self.history(thread_id) if not review.settled), None)

    @override
    def settle(self, thread_id: str, review_id: str) -> None:
        with self._guard:
            reviews = self._reviews.get(thread_id, {})
            if review_id in reviews:
                reviews[review_id] = replace(reviews[review_id], settled=True)

    @override
    def history(self, thread_id: str) -> list[AcceptedReview]:
        with self._guard:
            return list(self._reviews.get(thread_id, {}).values())

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._reviews.pop(thread_id, None)
