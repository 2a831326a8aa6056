from datetime import UTC, datetime
from typing import Any

from src.application.ports.action_ledger import Action, ActionOutcome, ActionStatus
from src.application.ports.answer_store import StoredAnswer
from src.application.ports.review_log import AcceptedReview

SUCCEEDED = ActionOutcome(status=ActionStatus.SUCCEEDED, content="Email sent")

ODD_JSON: dict[str, Any] = {
    "nul": "a\0b",
    "wide": "żółć 🦊 \u2028",
    "half a pair": "\ud83e",
    "big": 2**70,
    "small": -0.5,
    "nested": [{"deep": [None, True, {"": []}]}],
}
ODD_TEXTS = ["a\0b", "żółć 🦊", "\ud83e", "\x1b0000", " spaced ", "x" * 2_000, "%s ' \" \\"]


def an_action(key: str = "key-1", **changes: Any) -> Action:
    values: dict[str, Any] = {
        "key": key,
        "thread_id": "t1",
        "tool_call_id": "call-1",
        "name": "send_email",
        "args": {"to": "alice@example.com"},
    }
    return Action(**{**values, **changes})


def a_review(review_id: str = "r1", **changes: Any) -> AcceptedReview:
    values: dict[str, Any] = {
        "thread_id": "t1",
        "review_id": review_id,
        "pending_review": {"action_requests": [{"name": "send_email", "args": {}}]},
        "decisions": [{"type": "approve"}],
        "resume": {"0f2c": {"decisions": [{"type": "approve"}]}},
        "accepted_at": datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC),
    }
    return AcceptedReview(**{**values, **changes})


def an_answer(key: str = "POST /chat k1", **changes: Any) -> StoredAnswer:
    values: dict[str, Any] = {
        "key": key,
        "fingerprint": "f1",
        "thread_id": "t1",
        "body": '{"answer": "Halo"}',
    }
    return StoredAnswer(**{**values, **changes})
