import json
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from src.interface.http.controllers import hitl_controller
from tests.application.scenario import (
    APPROVE,
    REJECT,
    AllAtOnce,
    asks_for,
    assert_well_formed,
    call,
    edit_to,
    email_to,
    results_of,
    weather_in,
)
from tests.http.service import Service, forget_what_was_built


def waiting(service: Service, *calls: Any, thread_id: str = "t") -> Any:
    """Let the model ask for these calls, and return the pause that follows."""
    service.model_says(asks_for(*calls or [email_to("alice@example.com")]))
    response = service.chat("Kirim", thread_id, "/hitl/chat")
    assert response.status_code == 200
    return response.json()


def test_a_pause_is_shown_in_the_review_format_exactly(service: Service) -> None:
    body = waiting(service, email_to("alice@example.com"), thread_id="ani")

    review_id = body.pop("review_id")
    assert body == {
        "thread_id": "ani",
        "answer": None,
        "pending_review": {
            "action_requests": [
                {
                    "name": "send_email",
                    "args": {"to": "alice@example.com"},
                    "description": "Tool `send_email` menunggu persetujuan",
                }
            ],
            "review_configs": [
                {"action_name": "send_email", "allowed_decisions": ["approve", "edit", "reject"]}
            ],
        },
    }
    assert isinstance(review_id, str)
    assert service.office.sent == []


def test_what_is_shown_is_what_the_graph_itself_asks(service: Service) -> None:
    body = waiting(service, email_to("alice@example.com"), email_to("budi@example.com", "c2"))

    [interrupt] = (
        service.agent("/hitl/chat").get_state({"configurable": {"thread_id": "t"}}).interrupts
    )

    assert interrupt.value == body["pending_review"]


@pytest.mark.parametrize(
    ("decision", "sent", "status"),
    [
        (APPROVE, ["alice@example.com"], "success"),
        (edit_to("send_email", to="budi@example.com"), ["budi@example.com"], "success"),
        (REJECT, [], "error"),
        ({**REJECT, "message": "Salah alamat"}, [], "error"),
        (
            {**APPROVE, "edited_action": {"ignored": True}, "note": "x"},
            ["alice@example.com"],
            "success",
        ),
    ],
    ids=["approve", "edit", "reject", "reject with a reason", "fields of other types"],
)
def test_a_decision_takes_the_turn_to_its_answer(
    service: Service, decision: dict[str, Any], sent: list[str], status: str
) -> None:
    waiting(service)
    service.model_says("Selesai.")

    response = service.review(decision)

    assert response.status_code == 200
    assert response.json() == {
        "thread_id": "t",
        "answer": "Selesai.",
        "pending_review": None,
        "review_id": None,
    }
    assert service.office.sent == sent
    [result] = results_of(service.messages("/hitl/chat"))
    assert result.status == status
    assert decision.get("message", "") in result.text
    assert_well_formed(service.messages("/hitl/chat"))


def test_b73_an_answer_in_blocks_is_plain_text_after_a_review_too(service: Service) -> None:
    waiting(service)
    blocks: list[Any] = [{"type": "text", "text": "Sele"}, {"type": "text", "text": "sai."}]
    service.model_says(AIMessage(blocks))

    assert service.review(APPROVE).json()["answer"] == "Selesai."


def test_b01_decisions_belong_to_actions_by_their_place(service: Service) -> None:
    waiting(service, email_to("alice@example.com", "c1"), email_to("budi@example.com", "c2"))
    service.model_says("Selesai.")

    service.review(REJECT, APPROVE)

    assert service.office.sent == ["budi@example.com"]


def test_b03_only_calls_that_need_approval_take_a_decision(service: Service) -> None:
    calls = [weather_in("Medan", "w1"), email_to("alice@example.com"), weather_in("Bandung", "w2")]
    pause = waiting(service, *calls)["pending_review"]
    service.model_says("Selesai.")

    too_many = service.review(APPROVE, APPROVE, APPROVE)
    ran_too_early = [*service.office.sent, *service.office.looked_up]
    enough = service.review(APPROVE)

    assert len(pause["action_requests"]) == len(pause["review_configs"]) == 1
    assert (too_many.status_code, enough.status_code) == (400, 200)
    assert ran_too_early == []
    assert service.office.sent == ["alice@example.com"]
    assert sorted(service.office.looked_up) == ["Bandung", "Medan"]


def test_b27_one_pause_may_follow_another(service: Service) -> None:
    first = waiting(service, email_to("alice@example.com", "c1"))
    service.model_says(asks_for(email_to("budi@example.com", "c2")), "Selesai.")

    second = service.review(APPROVE).json()
    refused = service.chat("Sudah?", path="/hitl/chat")
    last = service.review(APPROVE, review_id=second["review_id"])

    assert second["pending_review"]["action_requests"][0]["args"] == {"to": "budi@example.com"}
    assert second["review_id"] != first["review_id"]
    assert refused.status_code == 400
    assert last.json()["answer"] == "Selesai."
    assert service.office.sent == ["alice@example.com", "budi@example.com"]


class TestEditedArguments:
    def test_keep_every_json_value(self, service: Service) -> None:
        shown: list[Any] = []

        @tool
        def book(when: Any, guests: Any, note: Any) -> str:
            """Book a table."""
            shown.append((when, guests, note))
            return "Booked"

        service.use_tools(book, gated={"book"})
        args = {"when": None, "guests": [1, 2.5, {"vip": True, "name": None}], "note": "☕"}
        waiting(service, call("book", "b1"))
        service.model_says("Dipesan.")

        response = service.review(edit_to("book", **args))

        assert response.json()["answer"] == "Dipesan."
        assert shown == [(args["when"], args["guests"], args["note"])]
        asked = service.messages("/hitl/chat")[1]
        assert isinstance(asked, AIMessage)
        assert asked.tool_calls[0]["args"] == args

    def test_are_not_checked_before_they_run(self, service: Service) -> None:
        waiting(service)
        service.model_says("Maaf.")

        response = service.review(edit_to("send_email", subject="tanpa alamat"))

        assert response.json()["answer"] == "Maaf."
        [result] = results_of(service.messages("/hitl/chat"))
        assert result.status == "error"
        assert service.office.sent == []

    def test_replace_the_call_in_every_copy_that_the_provider_sent(self, service: Service) -> None:
        reply = asks_for(email_to("alice@example.com"))
        function = {"name": "send_email", "arguments": '{"to": "alice@example.com"}'}
        reply.additional_kwargs = {
            "tool_calls": [{"id": "c1", "type": "function", "function": function}]
        }
        service.model_says(reply)
        service.chat("Kirim", path="/hitl/chat")
        service.model_says("Selesai.")

        service.review(edit_to("send_email", to="budi@example.com"))

        stored = service.messages("/hitl/chat")[1]
        assert "alice" not in json.dumps(stored.model_dump(mode="json"))


class TestReviewId:
    def test_of_the_pause_that_waits_is_accepted(self, service: Service) -> None:
        review_id = waiting(service)["review_id"]
        service.model_says("Selesai.")

        assert service.review(APPROVE, review_id=review_id).json()["answer"] == "Selesai."

    def test_of_an_earlier_pause_is_refused(self, service: Service) -> None:
        first = waiting(service, email_to("alice@example.com", "c1"))["review_id"]
        service.model_says(asks_for(email_to("alice@example.com", "c2")))
        service.review(APPROVE, review_id=first)

        response = service.review(APPROVE, review_id=first)

        assert response.status_code == 400
        assert service.office.sent == ["alice@example.com"]

    @pytest.mark.parametrize("each_store", ["sqlite", "postgres"], indirect=True)
    def test_stays_the_same_after_a_restart(self, service: Service) -> None:
        review_id = waiting(service)["review_id"]
        service.model_says("Selesai.")

        forget_what_was_built()

        assert service.review(APPROVE, review_id=review_id).status_code == 200


class TestTwoRequestsAtOnce:
    def test_b23_a_double_click_sends_one_email(self, service: Service) -> None:
        @tool
        def send_email(to: str) -> str:
            """Send an email, slowly."""
            time.sleep(0.1)
            service.office.sent.append(to)
            return "Sent"

        service.use_tools(send_email, gated={"send_email"})
        waiting(service)
        service.model_says("Selesai.")

        both = AllAtOnce(lambda: service.review(APPROVE), lambda: service.review(APPROVE)).outcomes

        assert sorted(response.status_code for response in both) == [200, 400]
        assert service.office.sent == ["alice@example.com"]
        assert_well_formed(service.messages("/hitl/chat"))

    def test_b33_twenty_conversations_do_not_mix(self, service: Service) -> None:
        def wish(messages: list[Any]) -> AIMessage:
            if messages[-1].type == "tool":
                return AIMessage("Selesai.")
            person = messages[-1].text
            return asks_for(email_to(person)) if "@" in person else AIMessage("Halo.")

        service.model_says(*[wish] * 41)
        people = [f"orang{n}@example.com" for n in range(20)]

        *paused, plain = AllAtOnce(
            *[lambda p=p: service.chat(p, p, "/hitl/chat") for p in people],
            lambda: service.chat("Hai", "plain", "/hitl/chat"),
        ).outcomes
        decided = AllAtOnce(
            *[
                lambda p=p, n=n: service.review(APPROVE if n % 2 else REJECT, thread_id=p)
                for n, p in enumerate(people)
            ]
        ).outcomes

        assert [
            response.json()["pending_review"]["action_requests"][0]["args"]["to"]
            for response in paused
        ] == people
        assert plain.json()["answer"] == "Halo."
        assert all(response.json()["answer"] == "Selesai." for response in decided)
        assert sorted(service.office.sent) == sorted(people[1::2])


class TestRestart:
    def test_b35_a_pause_outlives_it_wherever_conversations_are_stored(
        self, service: Service, each_store: str
    ) -> None:
        waiting(service)
        service.model_says("Selesai.")

        forget_what_was_built()
        response = service.review(APPROVE)

        if each_store == "memory":
            assert response.status_code == 400
            assert service.office.sent == []
        else:
            assert response.json()["answer"] == "Selesai."
            assert service.office.sent == ["alice@example.com"]
            assert_well_formed(service.messages("/hitl/chat"))

    def test_b35_an_unknown_conversation_is_not_made_by_a_review(self, service: Service) -> None:
        response = service.review(APPROVE, thread_id="made up")

        assert response.status_code == 400
        assert service.model.inputs == []
        assert service.checkpoints("/hitl/chat", "made up") == 0


class TestPowerCut:
    def test_an_accepted_review_is_finished_by_the_next_request(
        self, service: Service, each_store: str
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
        usecase = hitl_controller.get_reviewed_chat_usecase()
        with pytest.raises(PowerCut):
            usecase.submit_review([APPROVE], "t")
        if each_store != "memory":
            forget_what_was_built()
        service.model_says("Tidak jelas, tolong periksa.", "Halo juga.")

        response = service.chat("Halo", path="/hitl/chat")

        assert response.json()["answer"] == "Halo juga."
        assert service.office.sent == ["alice@example.com"]
        assert "outcome of this action is unknown" in service.model.inputs[1][-1].text
        assert_well_formed(service.messages("/hitl/chat"))
