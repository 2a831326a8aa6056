from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from pydantic import BaseModel

from src.application.ports.review_log import AcceptedReview
from src.application.reviews import pause_of
from src.interface.cli import exit_codes
from src.interface.cli.arguments import check_arguments
from src.interface.cli.editor import EditError
from tests.application.scenario import (
    APPROVE,
    REJECT,
    asks_for,
    email_to,
    results_of,
)
from tests.cli.scenario import THREAD, Desk


class Number(BaseModel):
    to: int


def test_approved_action_runs() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])

    ended = desk.chat("kirim", "s")

    assert ended.code == exit_codes.OK
    assert desk.office.sent == ["a@b.c"]
    assert "Agen: Terkirim." in ended.out


def test_rejected_action_is_no_failure() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Baik."])

    ended = desk.chat("kirim", "t", "salah alamat")

    printed = ended.out + ended.err
    assert "← send_email: DITOLAK: " in printed
    assert "GAGAL" not in printed


@pytest.mark.parametrize("word", ["s", "a", "Setuju", "APPROVE "])
def test_every_word_for_yes(word: str) -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    assert desk.chat("kirim", word).code == exit_codes.OK
    assert desk.office.sent == ["a@b.c"]


@pytest.mark.parametrize("word", ["", "ya", "y", "sa", "approve all"])
def test_anything_else_is_asked_again(word: str) -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    ended = desk.chat("kirim", word)
    assert ended.code == exit_codes.WAITING
    assert desk.office.sent == []
    assert "Pilihannya" in ended.err


def test_nothing_is_sent_before_everything_is_decided() -> None:
    desk = Desk([asks_for(email_to("a@b.c", "c1"), email_to("d@e.f", "c2")), "Selesai."])

    ended = desk.chat("kirim dua", "s")

    assert ended.code == exit_codes.WAITING
    assert "Aksi 2 dari 2" in ended.out
    assert desk.office.sent == []
    assert desk.stores.reviews.history(THREAD) == []


def test_decisions_reach_their_actions_in_the_order_shown() -> None:
    desk = Desk([asks_for(email_to("a@b.c", "c1"), email_to("d@e.f", "c2")), "Selesai."])

    ended = desk.chat("kirim dua", "t", "salah alamat", "s")

    assert ended.code == exit_codes.OK
    assert desk.office.sent == ["d@e.f"]
    rejected, sent = _results(desk)
    assert "salah alamat" in rejected.text
    assert sent.text == "Sent to d@e.f"


def test_rejection_without_a_reason_has_no_message() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Baik."])
    desk.chat("kirim", "t", "")
    assert desk.stores.reviews.history(THREAD)[0].decisions == [REJECT]


def test_edit_replaces_the_arguments_and_shows_what_will_run() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])

    ended = desk.chat("kirim", "u", '{"to": "d@e.f"}')

    assert ended.code == exit_codes.OK
    assert desk.office.sent == ["d@e.f"]
    assert "Akan dijalankan dengan:" in ended.out


def test_edit_starts_from_the_arguments_and_keeps_a_broken_draft() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    drafts: list[str] = []

    def edit(text: str) -> str:
        drafts.append(text)
        return '{"to": ' if len(drafts) == 1 else '{"to": "d@e.f"}'

    ended = desk.chat("kirim", "u", "u", edit=edit)

    assert drafts == ['{\n  "to": "a@b.c"\n}', '{"to": ']
    assert "JSON salah di baris 1" in ended.err
    assert desk.office.sent == ["d@e.f"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('{"to": 5}', "Argumen ditolak: to: Input should be a valid string"),
        ("{}", "Argumen ditolak: to: Field required"),
    ],
)
def test_edit_that_the_tool_would_not_take_is_no_decision(typed: str, said: str) -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])

    ended = desk.chat("kirim", "u", typed)

    assert ended.code == exit_codes.WAITING
    assert said in ended.err
    assert desk.stores.reviews.history(THREAD) == []

    assert desk.chat("u", '{"to": "d@e.f"}').code == exit_codes.OK
    assert desk.office.sent == ["d@e.f"]


def test_edit_that_a_tool_of_this_name_would_take_is_a_decision() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    number = StructuredTool.from_function(
        lambda to: to, name="send_email", description="x", args_schema=Number
    )
    tools = [number, *desk.office.tools]

    check_arguments("send_email", {"to": "d@e.f"}, tools)
    check_arguments("send_email", {"to": 5}, tools)
    check_arguments("unknown", {"to": []}, tools)
    with pytest.raises(EditError, match=r"to: Input should be a valid integer"):
        check_arguments("send_email", {"to": []}, tools)


def test_edit_for_a_tool_that_checks_nothing_itself_is_a_decision() -> None:
    schema = {"type": "object", "properties": {"to": {"type": "string"}}}
    tool = StructuredTool.from_function(
        lambda to: to, name="send_email", description="x", args_schema=schema
    )

    check_arguments("send_email", {"to": 5}, [tool])


def test_edit_that_changes_nothing_is_no_decision() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    ended = desk.chat("kirim", "u", edit=lambda text: text)
    assert ended.code == exit_codes.WAITING
    assert "Tidak ada yang berubah." in ended.err
    assert desk.office.sent == []


def test_decision_for_what_is_no_longer_waiting_is_refused() -> None:
    desk = Desk([asks_for(email_to("a@b.c", "c1")), asks_for(email_to("d@e.f", "c2")), "Beres."])

    def somebody_else_decides_meanwhile(_: str) -> str:
        desk.turns().review([REJECT], THREAD)
        return '{"to": "x@y.z"}'

    ended = desk.chat("kirim", "u", "s", edit=somebody_else_decides_meanwhile)

    assert "Keputusan ini bukan untuk aksi yang sedang menunggu" in ended.err
    assert desk.office.sent == ["d@e.f"]
    assert ended.out.count("Aksi 1 dari 1") == 2


def test_waiting_actions_are_asked_about_at_once() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    desk.turns().send("kirim", THREAD)

    ended = desk.chat("s")

    assert ended.code == exit_codes.OK
    assert desk.office.sent == ["a@b.c"]
    assert "Melanjutkan percakapan t1" in ended.err
    assert ended.out.index("Aksi 1 dari 1") < ended.out.index("Kamu:")


def test_accepted_decision_is_carried_out_instead_of_asked_again() -> None:
    desk = Desk([asks_for(email_to("a@b.c")), "Terkirim."])
    desk.turns().send("kirim", THREAD)
    _accept_as_before_a_crash(desk)

    ended = desk.chat()

    assert ended.code == exit_codes.OK
    assert "Keputusan:" not in ended.out
    assert desk.office.sent == ["a@b.c"]


def _results(desk: Desk) -> list[Any]:
    snapshot = desk.turns().look(THREAD)
    assert snapshot is not None
    assert isinstance(snapshot.messages[0], HumanMessage)
    return results_of(snapshot.messages)


def _accept_as_before_a_crash(desk: Desk) -> None:
    snapshot = desk.turns().look(THREAD)
    assert snapshot is not None
    assert snapshot.pause is not None
    pause = pause_of(THREAD, snapshot.pause.interrupts)
    assert pause is not None
    desk.stores.reviews.accept(
        AcceptedReview(
            thread_id=THREAD,
            review_id=pause.review_id,
            pending_review=pause.pending_review,
            decisions=[APPROVE],
            resume=pause.resume_values([APPROVE]),
            accepted_at=datetime.now(UTC),
        )
    )
