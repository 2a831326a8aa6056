"""The ``Idempotency-Key`` header: the same request again gets the first answer."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from src.application.errors import StoreError
from src.interface.http.controllers import chat_controller
from tests.application.scenario import APPROVE, asks_for, email_to, texts_of_user
from tests.http.service import Service

KEY = {"Idempotency-Key": "k"}
REPLAYED = "Idempotency-Replayed"


def say(service: Service, message: str = "Hai", path: str = "/chat", **more: Any) -> Any:
    body = {"message": message, "thread_id": "t", **more}
    return service.client.post(path, json=body, headers=KEY)


def test_the_same_request_gets_the_first_answer(service: Service) -> None:
    service.model_says("Halo.")

    first, again = say(service), say(service)

    assert (first.json(), again.json()) == ({"answer": "Halo.", "thread_id": "t"},) * 2
    assert (REPLAYED in first.headers, again.headers[REPLAYED]) == (False, "true")
    assert texts_of_user(service.messages()) == ["Hai"]


def test_a_review_sent_again_is_told_what_came_of_it(service: Service) -> None:
    service.model_says(asks_for(email_to("alice@example.com")), "Terkirim.")
    service.chat("Kirim", path="/hitl/chat")
    body = {"thread_id": "t", "decisions": [APPROVE]}

    answers = [service.client.post("/hitl/review", json=body, headers=KEY) for _ in range(2)]

    assert [answer.json()["answer"] for answer in answers] == ["Terkirim."] * 2
    assert service.office.sent == ["alice@example.com"]


def test_another_request_under_the_key_is_422(service: Service) -> None:
    service.model_says("Halo.")
    say(service)

    assert say(service, "Apa?").status_code == 422


@pytest.mark.parametrize("key", ["", '""', "é", "a\tb", "x" * 256])
def test_an_unusable_key_is_400_and_nothing_runs(service: Service, key: str) -> None:
    body = {"message": "Hai", "thread_id": "t"}

    refused = service.client.post(
        "/chat", json=body, headers={b"Idempotency-Key": key.encode("latin-1")}
    )

    assert refused.status_code == 400
    assert service.messages() == []


def test_quotes_around_a_key_are_no_part_of_it(service: Service) -> None:
    service.model_says("Halo.")
    say(service)

    body = {"message": "Hai", "thread_id": "t"}
    again = service.client.post("/chat", json=body, headers={"Idempotency-Key": '"k"'})

    assert again.headers[REPLAYED] == "true"


def test_another_endpoint_has_keys_of_its_own(service: Service) -> None:
    service.model_says("Halo.", "Hai juga.")

    assert say(service).json()["answer"] == "Halo."
    assert say(service, path="/hitl/chat").json()["answer"] == "Hai juga."


def test_an_answer_that_cannot_be_kept_is_given(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> None:
        raise StoreError

    service.model_says("Halo.")
    monkeypatch.setattr(chat_controller.get_chat_stores().answers, "save", fail)

    assert say(service).json()["answer"] == "Halo."


def test_a_failure_is_not_kept(service: Service) -> None:
    service.model_says(ConnectionError("no route"), "Halo.")

    assert say(service).status_code == 500
    assert say(service).json()["answer"] == "Halo."


def test_while_the_first_one_runs_it_is_409(service: Service) -> None:
    running, may_end = threading.Event(), threading.Event()

    def reply(_: Any) -> str:
        running.set()
        assert may_end.wait(timeout=30)
        return "Halo."

    service.model_says(reply)
    with ThreadPoolExecutor() as clients:
        first = clients.submit(say, service)
        assert running.wait(timeout=30)
        second = say(service)
        may_end.set()

    assert (first.result().status_code, second.status_code) == (200, 409)


@pytest.mark.parametrize("thread_id", ["t", None])
def test_a_conversation_that_is_erased_takes_its_answer_along(
    service: Service, thread_id: str | None
) -> None:
    service.model_says("Halo.", "Halo lagi.")
    made = say(service, thread_id=thread_id).json()["thread_id"]

    assert service.client.delete(f"/chat/threads/{made}").status_code == 204
    assert REPLAYED not in say(service, thread_id=thread_id).headers


def test_so_does_one_that_is_erased_while_it_is_answered(service: Service) -> None:
    erased: list[Future[Any]] = []

    def reply_while_somebody_erases(_: Any) -> str:
        erased.append(clients.submit(service.client.delete, "/chat/threads/t"))
        time.sleep(0.3)  # let the other one come to the door; if it does not, it erases later
        return "Halo."

    service.model_says(reply_while_somebody_erases, "Halo lagi.")
    with ThreadPoolExecutor() as clients:
        first = say(service)

    assert (first.status_code, erased[0].result().status_code) == (200, 204)
    assert REPLAYED not in say(service).headers
