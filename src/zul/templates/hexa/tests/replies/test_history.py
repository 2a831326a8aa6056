"""What of a long conversation the model is sent: cut at safe places, stored whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from src.application.AI.agents.history import trimmed
from src.application.AI.agents.limits import Limits
from tests.application.scenario import APPROVE, asks_for, assert_well_formed, email_to, weather_in
from tests.replies.conftest import MakeService

INSTRUCTIONS = SystemMessage("Be kind.")


def turn(number: int, *calls_per_round: int, answered: bool = True) -> list[AnyMessage]:
    """A turn with so many calls in each round of tools."""
    messages: list[AnyMessage] = [HumanMessage(f"question {number}")]
    for position, count in enumerate(calls_per_round):
        ids = [f"c{number}.{position}.{n}" for n in range(count)]
        messages.append(asks_for(*[weather_in("x", call_id) for call_id in ids]))
        messages += [ToolMessage("result", tool_call_id=call_id) for call_id in ids]
    return [*messages, AIMessage(f"answer {number}")] if answered else messages


def sent(messages: list[AnyMessage], **budget: int) -> list[AnyMessage]:
    return trimmed(messages, INSTRUCTIONS, Limits(**budget))


def test_without_a_budget_everything_is_sent() -> None:
    messages = [*turn(1, 1), *turn(2), *turn(3, 2, answered=False)]

    assert sent(messages) == messages


def test_whole_turns_are_left_out_from_the_oldest_on() -> None:
    first, second, third = turn(1, 1), turn(2), turn(3, 2, answered=False)

    assert sent([*first, *second, *third], history_messages=9) == [*second, *third]
    assert sent([*first, *second, *third], history_messages=5) == third


def test_of_a_newest_turn_over_the_budget_the_question_and_the_newest_rounds_are_sent() -> None:
    newest = turn(2, 1, 1, 3, answered=False)

    assert sent([*turn(1), *newest], history_messages=7) == [newest[0], *newest[3:]]
    assert sent([*turn(1), *newest], history_messages=1) == [newest[0], *newest[5:]]


def test_the_budget_of_tokens_counts_the_instructions_too() -> None:
    long: list[AnyMessage] = [HumanMessage("x" * 4_000), AIMessage("y"), HumanMessage("z")]

    assert sent(long, history_tokens=2_000) == long
    assert sent(long, history_tokens=500) == long[2:]
    wordy = SystemMessage("w" * 8_000)
    assert trimmed(long, wordy, Limits(history_tokens=2_000)) == long[2:]


@given(
    st.lists(st.lists(st.integers(1, 3), max_size=4), min_size=1, max_size=6),
    st.integers(1, 40),
    st.booleans(),
)
def test_whatever_the_budget_the_history_that_is_sent_is_well_formed(
    turns: list[list[int]], budget: int, answered: bool
) -> None:
    *earlier, last = [turn(n, *rounds) for n, rounds in enumerate(turns)]
    newest = last if answered else last[:-1]
    messages = [message for each in earlier for message in each] + newest

    for kept in (
        sent(messages, history_messages=budget),
        sent(messages, history_tokens=budget * 9),
    ):
        assert kept[0].type == "human"
        assert kept[-1:] == messages[-1:]
        assert newest[0] in kept
        assert_well_formed(kept if kept[-1].type == "ai" else [*kept, AIMessage("x")])


def test_the_stored_conversation_stays_whole(serve: MakeService, path: str) -> None:
    service = serve(path, *[f"Jawaban {n}" for n in range(6)], limits=Limits(history_messages=3))

    for number in range(6):
        service.answer(f"Pertanyaan {number}")

    # A supervisor needs a message more a turn, and never less than the newest one.
    longest = max(len(messages) for messages in (*service.model.inputs, *service.supervisor.inputs))
    assert longest == 4
    assert len(service.messages) == (24 if path.startswith("/subagents") else 12)


@pytest.mark.parametrize("budget", [1, 3])
def test_a_pending_call_is_never_cut_off(serve: MakeService, budget: int) -> None:
    limits = Limits(history_messages=budget)
    service = serve("/hitl/chat", "Satu.", asks_for(email_to("alice")), "Terkirim.", limits=limits)
    service.answer("1")
    service.say("Kirim")

    assert service.decide(APPROVE).json()["answer"] == "Terkirim."
    assert [m.type for m in service.last_input] == ["system", "human", "ai", "tool"]
