from typing import Any

import pytest

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from src.domain.exceptions import (
    DomainError,
    EmptyMessageError,
    InvalidReviewDecisionError,
    NoPendingReviewError,
    ReviewPendingError,
    StaleReviewError,
)
from tests.application.desk import Desk
from tests.application.scenario import (
    APPROVE,
    REJECT,
    AllAtOnce,
    Office,
    asks_for,
    assert_well_formed,
    edit_to,
    email_to,
    results_of,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel


def actions(turn: ChatTurn) -> list[Any]:
    assert turn.pending_review is not None
    return [action["args"]["to"] for action in turn.pending_review["action_requests"]]


def test_an_answer_has_no_review() -> None:
    assert Desk("Halo!").say("Hai") == ChatTurn(answer="Halo!")


def test_a_pause_has_no_answer() -> None:
    turn = Desk(asks_for(email_to("alice@example.com"))).say("Kirim")

    assert turn.answer is None
    assert actions(turn) == ["alice@example.com"]
    assert turn.review_id


@pytest.mark.parametrize(
    ("decision", "sent", "status"),
    [
        (APPROVE, ["alice@example.com"], "success"),
        (edit_to("send_email", to="budi@example.com"), ["budi@example.com"], "success"),
        (REJECT, [], "error"),
    ],
    ids=["approve", "edit", "reject"],
)
def test_a_decision_takes_the_turn_to_its_answer(
    decision: dict[str, Any], sent: list[str], status: str
) -> None:
    desk = Desk(asks_for(email_to("alice@example.com")), "Selesai.")
    desk.say("Kirim")

    turn = desk.decide(decision)

    assert turn == ChatTurn(answer="Selesai.")
    assert desk.office.sent == sent
    assert results_of(desk.messages)[0].status == status
    assert_well_formed(desk.messages)


def test_b27_a_second_pause_in_a_row_is_a_pause_like_the_first() -> None:
    desk = Desk(
        asks_for(email_to("alice@example.com", "c1")),
        asks_for(email_to("budi@example.com", "c2")),
        "Dua email terkirim.",
    )
    first = desk.say("Kirim dua")

    second = desk.decide(APPROVE)
    with pytest.raises(ReviewPendingError):
        desk.say("Sudah?")
    last = desk.decide(APPROVE)

    assert actions(second) == ["budi@example.com"]
    assert second.review_id != first.review_id
    assert last.answer == "Dua email terkirim."
    assert desk.office.sent == ["alice@example.com", "budi@example.com"]


@pytest.mark.parametrize(
    ("message", "rule"),
    [("Batal saja", ReviewPendingError), ("", EmptyMessageError), ("   ", EmptyMessageError)],
    ids=repr,
)
def test_b29_b32_a_message_during_a_pause_is_refused_and_changes_nothing(
    message: str, rule: type[DomainError]
) -> None:
    desk = Desk(asks_for(email_to("alice@example.com")), "Selesai.")
    desk.say("Kirim")
    before = desk.checkpoints

    with pytest.raises(rule):
        desk.say(message)

    assert desk.checkpoints == before
    assert desk.decide(REJECT).answer == "Selesai."
    assert_well_formed(desk.messages)


class TestRefusedReviews:
    """The table of the review format, as ``submit_review`` has it."""

    @pytest.mark.parametrize(
        ("decisions", "text"),
        [
            ([], "Butuh 2 keputusan (satu per aksi), diterima 0"),
            ([APPROVE], "Butuh 2 keputusan (satu per aksi), diterima 1"),
            ([APPROVE, APPROVE, APPROVE], "Butuh 2 keputusan (satu per aksi), diterima 3"),
            (
                [APPROVE, {"type": "postpone"}],
                "Jenis keputusan 'postpone' tidak dikenal. Pilihan: ['approve', 'edit', 'reject']",
            ),
            (
                ["approve", APPROVE],
                "Jenis keputusan None tidak dikenal. Pilihan: ['approve', 'edit', 'reject']",
            ),
            ([APPROVE, {"type": "edit"}], "Keputusan 'edit' wajib menyertakan 'edited_action'"),
            (
                [APPROVE, {"type": "edit", "edited_action": {"name": "send_email"}}],
                "'edited_action' harus berisi 'name' (teks) dan 'args' (objek)",
            ),
        ],
        ids=repr,
    )
    def test_b04_b14_b18_change_nothing(self, decisions: list[Any], text: str) -> None:
        desk = Desk(
            asks_for(email_to("alice@example.com", "c1"), email_to("budi@example.com", "c2")),
            "Selesai.",
        )
        desk.say("Kirim dua")
        before = desk.checkpoints

        for _ in range(3):
            with pytest.raises(InvalidReviewDecisionError) as refused:
                desk.decide(*decisions)
            assert str(refused.value) == text

        assert desk.checkpoints == before
        assert desk.decide(REJECT, APPROVE).answer == "Selesai."
        assert desk.office.sent == ["budi@example.com"]

    @pytest.mark.parametrize("decisions", [[], [APPROVE], [{"type": "postpone"}]], ids=repr)
    def test_b35_say_first_that_nothing_is_pending(self, decisions: list[Any]) -> None:
        desk = Desk("Halo.")

        with pytest.raises(NoPendingReviewError):
            desk.decide(*decisions, review_id="stale")

        assert desk.model.inputs == []
        assert desk.checkpoints == 0

    def test_say_that_nothing_is_pending_after_an_answer(self) -> None:
        desk = Desk(asks_for(email_to("alice@example.com")), "Selesai.")
        desk.say("Kirim")
        desk.decide(APPROVE)

        with pytest.raises(NoPendingReviewError):
            desk.decide(APPROVE)

        assert desk.office.sent == ["alice@example.com"]

    def test_name_a_stale_review_before_the_number_of_decisions(self) -> None:
        desk = Desk(asks_for(email_to("alice@example.com")), "Selesai.")
        desk.say("Kirim")

        with pytest.raises(StaleReviewError):
            desk.decide(review_id="another pause")

        assert desk.office.sent == []

    def test_a_graph_without_a_checkpointer_has_nothing_pending(self) -> None:
        agent = build_human_in_the_loop_agent(
            ScriptedChatModel(script=[]), Office().tools, {"send_email"}, checkpointer=None
        )

        with pytest.raises(NoPendingReviewError):
            ReviewedChatUseCase(agent).submit_review([APPROVE], "t")


class TestReviewId:
    def test_of_the_waiting_pause_is_accepted(self) -> None:
        desk = Desk(asks_for(email_to("alice@example.com")), "Selesai.")
        turn = desk.say("Kirim")

        assert desk.decide(APPROVE, review_id=turn.review_id).answer == "Selesai."

    def test_of_an_earlier_pause_decides_nothing(self) -> None:
        same = email_to("alice@example.com")
        desk = Desk(asks_for({**same, "id": "c1"}), asks_for({**same, "id": "c2"}), "Selesai.")
        first = desk.say("Kirim dua kali")
        second = desk.decide(APPROVE, review_id=first.review_id)

        with pytest.raises(StaleReviewError):
            desk.decide(APPROVE, review_id=first.review_id)

        assert desk.office.sent == ["alice@example.com"]
        assert desk.decide(APPROVE, review_id=second.review_id).answer == "Selesai."
        assert desk.office.sent == ["alice@example.com"] * 2

    def test_of_another_conversation_decides_nothing(self) -> None:
        desk = Desk(
            asks_for(email_to("alice@example.com")), asks_for(email_to("alice@example.com"))
        )
        elsewhere = desk.usecase.send_message("Kirim", "another")
        desk.say("Kirim")

        with pytest.raises(StaleReviewError):
            desk.decide(APPROVE, review_id=elsewhere.review_id)

        assert desk.office.sent == []


def test_b33_conversations_never_mix() -> None:
    def wish(messages: list[Any]) -> Any:
        answered = messages[-1].type == "tool"
        address = messages[1].text
        return f"Selesai: {address}" if answered else asks_for(email_to(address))

    desk = Desk(*[wish] * 40)
    usecase = desk.usecase
    people = [f"orang{n}@example.com" for n in range(20)]

    paused = AllAtOnce(*[lambda p=p: usecase.send_message(p, p) for p in people]).outcomes
    decisions = [APPROVE if n % 2 else REJECT for n in range(20)]
    decided = AllAtOnce(
        *[
            lambda p=p, d=d: usecase.submit_review([d], p)
            for p, d in zip(people, decisions, strict=True)
        ]
    ).outcomes

    assert [actions(turn) for turn in paused] == [[person] for person in people]
    assert [turn.answer for turn in decided] == [f"Selesai: {person}" for person in people]
    assert sorted(desk.office.sent) == sorted(people[1::2])


def test_the_other_calls_of_the_turn_wait_for_the_decision_too() -> None:
    desk = Desk(asks_for(weather_in("Medan"), email_to("alice@example.com")), "Cerah.")

    desk.say("Cuaca, lalu kirim")
    waiting = list(desk.office.looked_up)
    desk.decide(REJECT)

    assert waiting == []
    assert desk.office.looked_up == ["Medan"]
