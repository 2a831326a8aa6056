import re
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from tests.application.scenario import (
    AllAtOnce,
    asks_for,
    assert_well_formed,
    texts_of_user,
    weather_in,
)
from tests.http.service import CHATS, Service


def test_the_service_is_healthy(memory_service: Service) -> None:
    response = memory_service.client.get("/health")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


class TestAnswer:
    @pytest.mark.parametrize("path", ["/chat", "/subagents/chat"])
    def test_holds_the_text_and_the_thread_id_alone(self, service: Service, path: str) -> None:
        service.model_says("Selamat pagi!")

        response = service.chat("Pagi", "ani", path)

        assert response.status_code == 200
        assert response.json() == {"answer": "Selamat pagi!", "thread_id": "ani"}

    def test_of_the_reviewed_chat_says_that_nothing_waits(self, service: Service) -> None:
        service.model_says("Selamat pagi!")

        response = service.chat("Pagi", "ani", "/hitl/chat")

        assert response.status_code == 200
        assert response.json() == {
            "thread_id": "ani",
            "answer": "Selamat pagi!",
            "pending_review": None,
            "review_id": None,
        }

    def test_comes_after_the_tools_have_run(self, service: Service) -> None:
        service.model_says(asks_for(weather_in("Bandung")), "Cerah.")

        response = service.chat("Cuaca Bandung?")

        assert response.json()["answer"] == "Cerah."
        assert service.office.looked_up == ["Bandung"]
        assert_well_formed(service.messages())

    @pytest.mark.parametrize("path", CHATS)
    def test_b73_is_the_text_of_the_blocks_without_the_thinking(
        self, memory_service: Service, path: str
    ) -> None:
        blocks: list[Any] = [
            {"type": "text", "text": "Sunny"},
            {"type": "thinking", "thinking": "hmm", "signature": "c2ln"},
            {"type": "text", "text": " today"},
        ]
        memory_service.model_says(AIMessage(blocks))

        assert memory_service.chat("Cuaca?", path=path).json()["answer"] == "Sunny today"


class TestThreadId:
    @pytest.mark.parametrize("path", CHATS)
    def test_is_made_by_the_server_when_the_client_gives_none(
        self, service: Service, path: str
    ) -> None:
        service.model_says("Halo.", "Halo juga.", "Halo lagi.")

        first = service.post(path, message="Hai").json()["thread_id"]
        second = service.post(path, message="Hai", thread_id=None).json()["thread_id"]
        service.chat("Masih di sini", first, path)

        assert re.fullmatch("[0-9a-f]{32}", first)
        assert first != second
        assert texts_of_user(service.messages(path, first)) == ["Hai", "Masih di sini"]

    def test_b97_is_used_as_it_is(self, service: Service) -> None:
        ids = ["1", "None", " 1", "a/b?c#d", "日本語", "'; DROP TABLE--", "%", "_", "x" * 200]
        service.model_says(*["Halo."] * 2 * len(ids))

        for thread_id in ids:
            assert service.chat(f"Saya {thread_id}", thread_id).json()["thread_id"] == thread_id
        for thread_id in ids:
            service.chat("Siapa saya?", thread_id)

        for thread_id in ids:
            known = texts_of_user(service.messages(thread_id=thread_id))
            assert known == [f"Saya {thread_id}", "Siapa saya?"]

    def test_b45_is_another_conversation_at_every_agent(self, service: Service) -> None:
        service.model_says(*["Halo."] * 6)

        for path in CHATS:
            service.chat(f"Hai {path}", "sama", path)
        for path in CHATS:
            service.chat("Ingat?", "sama", path)

        for path in CHATS:
            assert texts_of_user(service.messages(path, "sama")) == [f"Hai {path}", "Ingat?"]


@pytest.mark.parametrize("path", CHATS)
def test_b34_two_messages_at_the_same_moment_are_both_kept(service: Service, path: str) -> None:
    service.model_says("Halo.", "Ya?", "Ya?")
    service.chat("Hai", path=path)

    both = AllAtOnce(
        lambda: service.chat("satu", path=path), lambda: service.chat("dua", path=path)
    ).outcomes

    assert [response.status_code for response in both] == [200, 200]
    assert sorted(texts_of_user(service.messages(path))) == ["Hai", "dua", "satu"]
    assert_well_formed(service.messages(path))
