from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.react.nodes.react_nodes import STEP_LIMIT_MESSAGE
from src.application.AI.agents.react.react import Agent, build_react_agent
from src.application.errors import ConversationBusyError, ReviewRequiredError
from src.application.ports.in_memory import InMemoryConversationLock
from src.application.usecases.chat import MAX_AGENT_STEPS, ChatUseCase
from src.domain.exceptions import EmptyMessageError, ReviewPendingError
from tests.application.scenario import (
    AllAtOnce,
    Office,
    asks_for,
    assert_well_formed,
    email_to,
    on,
    texts_of_user,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel


def agent_that(office: Office, *replies: Any) -> Agent:
    model = ScriptedChatModel(script=list(replies))
    return build_react_agent(model, office.tools, checkpointer=InMemorySaver())


class Parrot:
    """The least that a use case needs: something with ``invoke``."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def invoke(self, input: Any, config: RunnableConfig | None = None) -> Any:  # noqa: A002
        self.heard.append((input, config))
        return {"messages": [AIMessage("Kakatua!")]}


def test_a_message_is_answered() -> None:
    usecase = ChatUseCase(agent_that(Office(), "Selamat pagi!"))

    assert usecase.execute("Pagi", "t") == "Selamat pagi!"


def test_a_conversation_is_remembered_by_its_thread_id_alone() -> None:
    model = ScriptedChatModel(script=["Halo Ani", "Kamu Ani", "Siapa ya?"])
    usecase = ChatUseCase(build_react_agent(model, [], checkpointer=InMemorySaver()))

    usecase.execute("Saya Ani", "ani")
    usecase.execute("Siapa saya?", "ani")
    usecase.execute("Siapa saya?", "budi")

    assert texts_of_user(model.inputs[1]) == ["Saya Ani", "Siapa saya?"]
    assert texts_of_user(model.inputs[2]) == ["Siapa saya?"]


@pytest.mark.parametrize("message", ["", " ", "\n\t ", "\u00a0\u2003"], ids=repr)
def test_b68_a_blank_message_is_refused_before_the_agent_is_called(message: str) -> None:
    parrot = Parrot()

    with pytest.raises(EmptyMessageError):
        ChatUseCase(parrot).execute(message, "t")

    assert parrot.heard == []


def test_any_object_with_invoke_will_do() -> None:
    parrot = Parrot()

    assert ChatUseCase(parrot).execute("Halo", "t") == "Kakatua!"
    [(graph_input, config)] = parrot.heard
    assert graph_input == {"messages": [{"role": "user", "content": "Halo"}]}
    assert config == {"configurable": {"thread_id": "t"}, "recursion_limit": 25}


def test_a_graph_without_a_checkpointer_answers_and_forgets() -> None:
    model = ScriptedChatModel(script=["Halo", "Halo lagi"])
    usecase = ChatUseCase(build_react_agent(model, []))

    usecase.execute("Saya Ani", "t")

    assert usecase.execute("Siapa saya?", "t") == "Halo lagi"
    assert texts_of_user(model.inputs[1]) == ["Siapa saya?"]


def test_the_step_limit_is_25_unless_the_caller_says_otherwise() -> None:
    parrot = Parrot()

    ChatUseCase(parrot).execute("Halo", "t")
    ChatUseCase(parrot, max_agent_steps=7).execute("Halo", "t")

    assert MAX_AGENT_STEPS == 25
    assert [config["recursion_limit"] for _, config in parrot.heard] == [25, 7]


def test_a_message_has_11_tool_rounds_and_the_next_one_as_many_again() -> None:
    office = Office()
    forever = [asks_for(weather_in(f"Kota {n}", f"w{n}")) for n in range(12)]
    agent = agent_that(office, *forever, "Halo.")
    usecase = ChatUseCase(agent)

    assert usecase.execute("Cuaca semua kota", "t") == STEP_LIMIT_MESSAGE
    assert len(office.looked_up) == 11
    assert usecase.execute("Hai", "t") == "Halo."
    assert_well_formed(agent.get_state(on("t")).values["messages"])


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (
            [
                {"type": "text", "text": "Sunny"},
                {"type": "thinking", "thinking": "hmm", "signature": "c2ln"},
                {"type": "text", "text": " today"},
            ],
            "Sunny today",
        ),
        (["Sunny", " today"], "Sunny today"),
        (["Sunny", {"type": "text", "text": " today"}], "Sunny today"),
        ([{"type": "reasoning", "summary": []}, {"type": "text", "text": "Sunny"}], "Sunny"),
    ],
    ids=["blocks around thinking", "plain texts", "both", "reasoning first"],
)
def test_b73_the_answer_is_the_text_of_the_blocks(content: Any, answer: str) -> None:
    usecase = ChatUseCase(agent_that(Office(), AIMessage(content)))

    assert usecase.execute("Cuaca?", "t") == answer


@pytest.mark.parametrize(
    "nothing",
    ["", "  \n", [], [{"type": "thinking", "thinking": "hmm", "signature": "c2ln"}], [""]],
    ids=repr,
)
def test_b68_an_empty_reply_becomes_a_sentence_that_providers_take_back(nothing: Any) -> None:
    def silent_at_first(messages: list[BaseMessage]) -> AIMessage:
        return AIMessage(nothing if messages[-1].text == "Hai" else "Halo.")

    agent = agent_that(Office(), *[silent_at_first] * 3)
    usecase = ChatUseCase(agent)

    assert usecase.execute("Hai", "t").strip()
    assert usecase.execute("Hai?", "t") == "Halo."
    assert_well_formed(agent.get_state(on("t")).values["messages"])


def test_an_agent_that_pauses_says_what_it_waits_for() -> None:
    model = ScriptedChatModel(script=[asks_for(email_to("alice@example.com"))])
    agent = build_human_in_the_loop_agent(
        model, Office().tools, {"send_email"}, checkpointer=InMemorySaver()
    )
    usecase = ChatUseCase(agent)

    with pytest.raises(ReviewRequiredError) as pause:
        usecase.execute("Kirim", "t")

    assert pause.value.pending_review["action_requests"][0]["name"] == "send_email"
    assert len(pause.value.review_id) == 32
    with pytest.raises(ReviewPendingError):
        usecase.execute("Batal saja", "t")


def test_b38_a_pause_that_nothing_can_store_is_no_quiet_answer() -> None:
    office = Office()
    model = ScriptedChatModel(script=[asks_for(email_to("alice@example.com"))])
    agent = build_human_in_the_loop_agent(model, office.tools, {"send_email"}, checkpointer=None)

    with pytest.raises(ReviewRequiredError):
        ChatUseCase(agent).execute("Kirim", "t")

    assert office.sent == []


class TestOneRequestAtATime:
    def test_b34_two_messages_at_the_same_moment_are_both_kept(self) -> None:
        model = ScriptedChatModel(script=["Halo.", "Ya?", "Ya?"])
        agent = build_react_agent(model, [], checkpointer=InMemorySaver())
        usecase = ChatUseCase(agent)
        usecase.execute("Hai", "t")

        AllAtOnce(lambda: usecase.execute("satu", "t"), lambda: usecase.execute("dua", "t"))

        messages = agent.get_state(on("t")).values["messages"]
        assert sorted(texts_of_user(messages)) == ["Hai", "dua", "satu"]
        assert_well_formed(messages)

    def test_a_request_that_waits_too_long_is_told_so(self) -> None:
        lock = InMemoryConversationLock(wait_seconds=0)
        usecase = ChatUseCase(agent_that(Office(), "Halo."), lock=lock)

        with lock.hold("t"), pytest.raises(ConversationBusyError):
            usecase.execute("Hai", "t")

        assert usecase.execute("Hai", "t") == "Halo."

    def test_other_conversations_do_not_wait(self) -> None:
        lock = InMemoryConversationLock(wait_seconds=0)
        usecase = ChatUseCase(agent_that(Office(), "Halo."), lock=lock)

        with lock.hold("somebody else"):
            assert usecase.execute("Hai", "t") == "Halo."
