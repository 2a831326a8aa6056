"""A model that says nothing: one more try, then a plain sentence. Nothing empty is ever stored."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from src.application.AI.agents.replies import EMPTY_REPLY_MESSAGE, well_formed
from src.application.errors import ModelCallError
from tests.application.scenario import (
    APPROVE,
    asks_for,
    assert_well_formed,
    call,
    email_to,
    results_of,
    weather_in,
)
from tests.replies.conftest import MakeService
from tests.replies.service import DELEGATE, supervise

NOTHING: dict[str, Any] = {
    "text": "",
    "blanks": " \n",
    "list": [],
    "empty block": [{"type": "text", "text": ""}],
    "thinking": [{"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"}],
}
each_nothing = pytest.mark.parametrize("content", NOTHING.values(), ids=NOTHING.keys())


@each_nothing
def test_b68_the_model_is_asked_once_more(serve: MakeService, path: str, content: Any) -> None:
    service = serve(path, AIMessage(content), "Halo.")

    assert service.answer("Hai") == "Halo."
    assert service.model.inputs[0] == service.model.inputs[1]
    assert_well_formed(service.messages)


@each_nothing
def test_b68_a_second_empty_reply_becomes_a_sentence_that_names_the_cause(
    serve: MakeService, path: str, content: Any
) -> None:
    service = serve(path, AIMessage(content), AIMessage(content), "Halo.")

    assert service.answer("Hai") == EMPTY_REPLY_MESSAGE
    assert len(service.model.inputs) == 2
    assert service.answer("Ada orang?") == "Halo."
    assert_well_formed(service.messages)


def test_a_reply_without_any_content_is_empty_too() -> None:
    nothing = AIMessage.model_construct(content=None)  # type: ignore[arg-type]  # not even a text

    assert well_formed(nothing, []).is_empty


def test_a_provider_that_fails_at_the_second_try_does_not_fail_the_turn(
    serve: MakeService, path: str
) -> None:
    service = serve(path, AIMessage(""), ModelCallError(), "Halo.")

    assert service.answer("Hai") == EMPTY_REPLY_MESSAGE
    assert service.answer("Ada orang?") == "Halo."


def test_the_second_try_may_call_tools(serve: MakeService, path: str) -> None:
    service = serve(path, AIMessage(""), asks_for(weather_in("Paris")), "Cerah.")

    assert service.answer("Cuaca?") == "Cerah."
    assert service.office.looked_up == ["Paris"]


def test_an_empty_reply_after_an_approved_action_is_answered_too(serve: MakeService) -> None:
    service = serve("/hitl/chat", asks_for(email_to("alice")), AIMessage(""), AIMessage([]))
    service.say("Kirim")

    assert service.decide(APPROVE).json()["answer"] == EMPTY_REPLY_MESSAGE
    assert service.office.sent == ["alice"]


@each_nothing
def test_b43_a_silent_supervisor_passes_on_what_its_subagent_said(
    serve: MakeService, content: Any
) -> None:
    silent = [asks_for(call(DELEGATE, "d1", query="?")), AIMessage(content), supervise, supervise]
    service = serve("/subagents/chat", "42", "Halo.", supervisor=silent)

    assert service.answer("Berapa?") == "42"
    assert_well_formed(service.messages)
    assert service.answer("Hai") == "Halo."


def test_b43_of_two_subagents_both_answers_are_passed_on(serve: MakeService) -> None:
    both = asks_for(call(DELEGATE, "d1", query="1"), call(DELEGATE, "d2", query="2"))
    service = serve("/subagents/chat", "satu", "satu", supervisor=[both, AIMessage("")])

    assert service.answer("Berapa?") == "satu\n\nsatu"


def test_b43_without_an_answer_of_a_subagent_the_supervisor_says_that_there_is_none(
    serve: MakeService,
) -> None:
    service = serve("/subagents/chat", supervisor=[AIMessage(""), AIMessage("")])

    assert service.answer("Berapa?") == EMPTY_REPLY_MESSAGE


@pytest.mark.parametrize("message", ["", "   ", "\n\t"])
def test_b68_an_empty_message_of_the_user_is_refused_and_not_stored(
    serve: MakeService, path: str, message: str
) -> None:
    service = serve(path)

    assert service.say(message).status_code == (400 if message else 422)
    assert service.messages == []
    assert service.model.inputs == []


def test_b68_a_silent_subagent_still_reports_something(serve: MakeService) -> None:
    service = serve("/subagents/chat", AIMessage(""), AIMessage(""))

    assert service.answer("Halo?") == EMPTY_REPLY_MESSAGE
    assert results_of(service.messages)[-1].text == EMPTY_REPLY_MESSAGE
