from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from src.interface.http.controllers import subagents_controller
from tests.application.scenario import (
    APPROVE,
    REJECT,
    asks_for,
    assert_well_formed,
    call,
    edit_to,
    email_to,
    results_of,
)
from tests.http.service import Service, forget_what_was_built


def team(messages: list[BaseMessage]) -> AIMessage:
    """One model for both: the supervisor gives each named person to the clerk, who sends."""
    last, is_clerk = messages[-1], messages[0].text == "You are a clerk."
    if last.type == "tool":
        return AIMessage(f"Laporan: {last.text}" if is_clerk else "Selesai.")
    if is_clerk:
        return asks_for(email_to(last.text, f"mail_{last.text}"))
    people = last.text.split()
    return asks_for(*[call("clerk", f"task_{person}", query=person) for person in people])


def waiting(service: Service, people: str = "alice") -> Any:
    service.model_says(*[team] * 20)
    response = service.chat(people, path="/subagents/chat")
    assert response.status_code == 200
    return response.json()


def decide(service: Service, *decisions: Any, **more: Any) -> Any:
    return service.review(*decisions, path="/subagents/review", **more)


def addresses(body: dict[str, Any]) -> list[str]:
    return [action["args"]["to"] for action in body["pending_review"]["action_requests"]]


def reports(service: Service) -> list[str]:
    return [result.text for result in results_of(service.messages("/subagents/chat"))]


def test_b38_a_pause_of_a_subagent_reaches_the_client(service: Service) -> None:
    body = waiting(service)

    assert body.keys() == {"thread_id", "answer", "pending_review", "review_id"}
    assert (body["thread_id"], body["answer"]) == ("t", None)
    assert addresses(body) == ["alice"]
    assert service.office.sent == []


@pytest.mark.parametrize(
    ("decision", "sent", "report"),
    [
        (APPROVE, ["alice"], "Laporan: Sent to alice"),
        (edit_to("send_email", to="budi"), ["budi"], "Laporan: Sent to budi"),
        (REJECT, [], "Laporan: User rejected this action. It was not executed."),
    ],
    ids=["approve", "edit", "reject"],
)
def test_b41_a_decision_reaches_the_subagent(
    service: Service, decision: dict[str, Any], sent: list[str], report: str
) -> None:
    review_id = waiting(service)["review_id"]

    response = decide(service, decision, review_id=review_id)

    assert response.status_code == 200
    assert response.json() == {
        "thread_id": "t",
        "answer": "Selesai.",
        "pending_review": None,
        "review_id": None,
    }
    assert service.office.sent == sent
    assert reports(service) == [report]
    assert_well_formed(service.messages("/subagents/chat"))


def test_b40_two_subagents_that_pause_at_once_make_one_list(service: Service) -> None:
    body = waiting(service, "alice budi")

    response = decide(service, REJECT, edit_to("send_email", to="citra"))

    assert addresses(body) == ["alice", "budi"]
    assert response.json()["answer"] == "Selesai."
    assert service.office.sent == ["citra"]
    assert reports(service) == [
        "Laporan: User rejected this action. It was not executed.",
        "Laporan: Sent to citra",
    ]


def test_a_message_is_refused_while_a_subagent_waits(service: Service) -> None:
    waiting(service)

    response = service.chat("Batal", path="/subagents/chat")

    assert response.status_code == 400
    assert decide(service, REJECT).json()["answer"] == "Selesai."


@pytest.mark.parametrize(
    ("decisions", "detail"),
    [
        ([APPROVE], "Butuh 2 keputusan (satu per aksi), diterima 1"),
        ([APPROVE, {"type": "edit"}], "Keputusan 'edit' wajib menyertakan 'edited_action'"),
    ],
    ids=["too few", "an edit of nothing"],
)
def test_a_refused_review_leaves_both_waiting(
    service: Service, decisions: list[Any], detail: str
) -> None:
    waiting(service, "alice budi")

    response = decide(service, *decisions)

    assert (response.status_code, response.json()) == (400, {"detail": detail})
    assert decide(service, APPROVE, REJECT).json()["answer"] == "Selesai."
    assert service.office.sent == ["alice"]


@pytest.mark.parametrize("each_store", ["sqlite", "postgres"], indirect=True)
def test_both_pauses_outlive_a_restart(service: Service) -> None:
    review_id = waiting(service, "alice budi")["review_id"]

    forget_what_was_built()
    response = decide(service, APPROVE, APPROVE, review_id=review_id)

    assert response.json()["answer"] == "Selesai."
    assert sorted(service.office.sent) == ["alice", "budi"]


def test_a_review_of_an_earlier_pause_is_refused(service: Service) -> None:
    waiting(service)

    response = decide(service, APPROVE, review_id="an earlier pause")

    assert response.status_code == 400
    assert service.office.sent == []


def test_an_accepted_review_is_finished_by_the_next_request_after_a_power_cut(
    service: Service, each_store: str
) -> None:
    class PowerCut(BaseException):
        """The process dies here."""

    @tool
    def send_email(to: str) -> str:
        """Send an email, and lose power."""
        service.office.sent.append(to)
        raise PowerCut

    service.use_tools(send_email, gated={"send_email"})
    waiting(service)
    usecase = subagents_controller.get_subagents_review_usecase()
    with pytest.raises(PowerCut):
        usecase.submit_review([APPROVE], "t")
    if each_store != "memory":
        forget_what_was_built()

    response = service.chat("budi", path="/subagents/chat")

    assert addresses(response.json()) == ["budi"]
    assert service.office.sent == ["alice"]
    assert "outcome of this action is unknown" in reports(service)[0]
