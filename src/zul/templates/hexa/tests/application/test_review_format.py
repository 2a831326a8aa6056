from typing import Any

import pytest
from langgraph.types import Interrupt

from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import (
    build_review_request,
)
from src.application.reviews import pause_of
from src.application.usecases.reviewed_chat import validate_decisions
from src.domain.exceptions import InvalidReviewDecisionError
from tests.application.scenario import APPROVE, REJECT, edit_to, email_to

EDIT = edit_to("send_email", to="budi@example.com")
TWO_ACTIONS = build_review_request([email_to("alice@example.com", "c1"), email_to("budi", "c2")])


def edit_with(edited_action: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": edited_action}


WRONG_ACTION = "'edited_action' harus berisi 'name' (teks) dan 'args' (objek)"
CHOICES = "Pilihan: ['approve', 'edit', 'reject']"


@pytest.mark.parametrize(
    "decisions",
    [
        [APPROVE, REJECT],
        (APPROVE, EDIT),
        [EDIT, {**REJECT, "message": "Salah alamat"}],
        [{**APPROVE, "edited_action": "ignored", "message": 1}, {**REJECT, "note": "ignored"}],
        [edit_to("anything"), edit_to("get_weather", location="Medan")],
    ],
    ids=repr,
)
def test_decisions_that_fit_are_accepted(decisions: Any) -> None:
    validate_decisions(decisions, TWO_ACTIONS)


@pytest.mark.parametrize(
    ("decisions", "text"),
    [
        ([], "Butuh 2 keputusan (satu per aksi), diterima 0"),
        ([APPROVE], "Butuh 2 keputusan (satu per aksi), diterima 1"),
        ([APPROVE] * 3, "Butuh 2 keputusan (satu per aksi), diterima 3"),
        (None, "Butuh 2 keputusan (satu per aksi), diterima 0"),
        ({"0": APPROVE, "1": APPROVE}, "Butuh 2 keputusan (satu per aksi), diterima 0"),
        ("ok", "Butuh 2 keputusan (satu per aksi), diterima 0"),
        ([{"type": "postpone"}, APPROVE], f"Jenis keputusan 'postpone' tidak dikenal. {CHOICES}"),
        ([APPROVE, {}], f"Jenis keputusan None tidak dikenal. {CHOICES}"),
        ([None, APPROVE], f"Jenis keputusan None tidak dikenal. {CHOICES}"),
        (["approve", APPROVE], f"Jenis keputusan None tidak dikenal. {CHOICES}"),
        ([{"type": ["approve"]}, APPROVE], f"Jenis keputusan ['approve'] tidak dikenal. {CHOICES}"),
        ([APPROVE, {"type": "edit"}], "Keputusan 'edit' wajib menyertakan 'edited_action'"),
        ([edit_with(None), APPROVE], "Keputusan 'edit' wajib menyertakan 'edited_action'"),
        ([edit_with("send_email"), APPROVE], WRONG_ACTION),
        ([edit_with({}), APPROVE], WRONG_ACTION),
        ([edit_with({"name": "send_email"}), APPROVE], WRONG_ACTION),
        ([edit_with({"args": {}}), APPROVE], WRONG_ACTION),
        ([edit_with({"name": 1, "args": {}}), APPROVE], WRONG_ACTION),
        ([edit_with({"name": "send_email", "args": "{}"}), APPROVE], WRONG_ACTION),
        ([edit_with({"name": "send_email", "args": [1]}), APPROVE], WRONG_ACTION),
        ([edit_with({"name": "send_email", "args": None}), APPROVE], WRONG_ACTION),
        ([{"type": "postpone"}], "Butuh 2 keputusan (satu per aksi), diterima 1"),
        (
            [{"type": "postpone"}, {"type": "edit"}],
            f"Jenis keputusan 'postpone' tidak dikenal. {CHOICES}",
        ),
        (
            [{"type": "edit"}, {"type": "postpone"}],
            "Keputusan 'edit' wajib menyertakan 'edited_action'",
        ),
    ],
    ids=repr,
)
def test_the_first_fault_is_named(decisions: Any, text: str) -> None:
    with pytest.raises(InvalidReviewDecisionError) as refused:
        validate_decisions(decisions, TWO_ACTIONS)

    assert str(refused.value) == text


class TestPause:
    def of(self, *addresses: str, thread_id: str = "t", interrupt_id: str = "i") -> Any:
        request = build_review_request([email_to(a, f"c{n}") for n, a in enumerate(addresses)])
        return pause_of(thread_id, [Interrupt(value=request, id=interrupt_id)])

    def test_is_nothing_when_nothing_asked(self) -> None:
        assert pause_of("t", []) is None

    def test_shows_several_pauses_as_one_list(self) -> None:
        requests = [build_review_request([email_to(address)]) for address in ("alice", "budi")]

        pause = pause_of("t", [Interrupt(value=r, id=str(n)) for n, r in enumerate(requests)])

        assert pause is not None
        assert [a["args"]["to"] for a in pause.pending_review["action_requests"]] == [
            "alice",
            "budi",
        ]
        assert len(pause.pending_review["review_configs"]) == 2

    def test_gives_each_interrupt_its_own_decisions(self) -> None:
        first = build_review_request([email_to("alice", "c1"), email_to("budi", "c2")])
        second = build_review_request([email_to("citra", "c3")])
        pause = pause_of("t", [Interrupt(value=first, id="i1"), Interrupt(value=second, id="i2")])

        assert pause is not None
        assert pause.resume_values([APPROVE, REJECT, EDIT]) == {
            "i1": {"decisions": [APPROVE, REJECT], "action_requests": first["action_requests"]},
            "i2": {"decisions": [EDIT], "action_requests": second["action_requests"]},
        }

    def test_keeps_its_id_when_it_is_looked_at_again(self) -> None:
        assert self.of("alice").review_id == self.of("alice").review_id
        assert len(self.of("alice").review_id) == 32

    def test_has_another_id_for_another_thread_position_or_argument(self) -> None:
        pauses = [
            self.of("alice"),
            self.of("alice", thread_id="u"),
            self.of("alice", interrupt_id="j"),
            self.of("alicia"),
            self.of("alice", "budi"),
            self.of("budi", "alice"),
        ]

        assert len({pause.review_id for pause in pauses}) == len(pauses)
