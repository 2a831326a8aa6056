"""The review format: what waits for a person, and which decisions fit it.

The service follows the human-in-the-loop format of LangChain (``action_requests``,
``review_configs``, ``decisions``), so that clients written for it work unchanged.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langgraph.types import Interrupt

from src.application.actions import canonical_json
from src.application.AI.agents.approval import is_review_request
from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import (
    is_edited_action,
)
from src.application.AI.agents.limits import CEILING
from src.application.AI.agents.storable import clean_text, unstorable_part
from src.application.ports.review_log import AcceptedReview
from src.domain.exceptions import InvalidReviewDecisionError


@dataclass(frozen=True, slots=True)
class Pause:
    """All actions that wait in a conversation.

    Parallel subagents may pause at the same time; a person sees one list all the same.

    Attributes:
        pending_review: the actions, in the order of the model's calls.
        review_id: a digest of thread, position and the exact arguments shown.
        interrupts: what asked for them, in the same order.
    """

    pending_review: dict[str, Any]
    review_id: str
    interrupts: tuple[Interrupt, ...]

    def resume_values(self, decisions: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Split ``decisions`` by interrupt id, as ``Command(resume=...)`` takes them.

        Resuming by id keeps a repeated answer from deciding the next, never shown action. What
        was shown goes along: a deployment in between may have changed what needs approval.
        """
        values: dict[str, Any] = {}
        start = 0
        for interrupt in self.interrupts:
            end = start + len(interrupt.value["action_requests"])
            values[interrupt.id] = {
                "decisions": list(decisions[start:end]),
                "action_requests": interrupt.value["action_requests"],
            }
            start = end
        return values


def asked_reviews(interrupts: Sequence[Interrupt]) -> list[Interrupt]:
    """Return those that ask for a review; a node of the owner's may ask for anything."""
    return [interrupt for interrupt in interrupts if is_review_request(interrupt.value)]


def pause_of(thread_id: str, interrupts: Sequence[Interrupt]) -> Pause | None:
    """Return the pause that these interrupts make, or ``None`` when there are none."""
    if not interrupts:
        return None
    asked = [[interrupt.id, interrupt.value] for interrupt in interrupts]
    return Pause(
        pending_review={
            key: [item for interrupt in interrupts for item in interrupt.value[key]]
            for key in ("action_requests", "review_configs")
        },
        review_id=hashlib.sha256(canonical_json([thread_id, asked]).encode()).hexdigest()[:32],
        interrupts=tuple(interrupts),
    )


def validate_decisions(decisions: Any, pending_review: dict[str, Any]) -> None:
    """Check decisions against the actions that wait, and stop at the first fault.

    Args:
        decisions: one decision per action, in the order shown.
        pending_review: the actions, in the review format.

    Raises:
        InvalidReviewDecisionError: the number, a type or an edited action is wrong.
    """
    expected = len(pending_review["action_requests"])
    given = len(decisions) if isinstance(decisions, list | tuple) else 0
    if given != expected:
        raise InvalidReviewDecisionError(
            f"Butuh {expected} keputusan (satu per aksi), diterima {given}"
        )
    for decision, config in zip(decisions, pending_review["review_configs"], strict=True):
        _validate_decision(decision, config["allowed_decisions"])


def _validate_decision(decision: Any, allowed: Sequence[str]) -> None:
    kind = decision.get("type") if isinstance(decision, dict) else None
    if kind not in allowed:
        raise InvalidReviewDecisionError(
            f"Jenis keputusan {kind!r} tidak dikenal. Pilihan: {list(allowed)!r}"
        )
    if kind != "edit":
        return
    edited_action = decision.get("edited_action")
    if edited_action is None:
        raise InvalidReviewDecisionError("Keputusan 'edit' wajib menyertakan 'edited_action'")
    if not is_edited_action(edited_action):
        raise InvalidReviewDecisionError(
            "'edited_action' harus berisi 'name' (teks) dan 'args' (objek)"
        )
    fault = unstorable_part(edited_action["args"], CEILING)
    if fault is not None:
        raise InvalidReviewDecisionError(f"'args' tidak dapat disimpan: {fault}")


def accepted_review(
    thread_id: str, pause: Pause, decisions: Sequence[dict[str, Any]]
) -> AcceptedReview:
    """Return valid ``decisions`` for ``pause`` as they are stored, accepted at this moment."""
    return AcceptedReview(
        thread_id=thread_id,
        review_id=pause.review_id,
        pending_review=pause.pending_review,
        decisions=list(decisions),
        resume=pause.resume_values(decisions),
        accepted_at=datetime.now(UTC),
    )


def repeats(accepted: AcceptedReview, decisions: Any, review_id: str | None) -> bool:
    """Tell whether somebody sends again what was accepted."""
    try:
        validate_decisions(decisions, accepted.pending_review)
    except InvalidReviewDecisionError:
        return False
    return review_id in {None, accepted.review_id} and (
        canonical_json(essentials(decisions)) == canonical_json(accepted.decisions)
    )


def essentials(decisions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return valid decisions with nothing but the fields that belong to their types.

    The other fields are ignored, so it must not matter whether a store can hold them.
    """
    return [_essentials(decision) for decision in decisions]


def _essentials(decision: dict[str, Any]) -> dict[str, Any]:
    kind, message = decision["type"], decision.get("message")
    if kind == "edit":
        action = decision["edited_action"]
        return {"type": kind, "edited_action": {key: action[key] for key in ("name", "args")}}
    if kind == "reject" and isinstance(message, str):
        return {"type": kind, "message": clean_text(message)}
    return {"type": kind}
