from typing import Any

import pytest
from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import (
    make_tool_node,
)
from src.application.AI.agents.react.nodes.react_nodes import (
    STEP_LIMIT_MESSAGE,
    STEPS_PER_TOOL_ROUND,
)
from src.application.AI.agents.react.react import Agent, build_react_agent
from src.domain.templates.prompt.react.react_prompt_templates import REACT_SYSTEM_PROMPT
from tests.application.scenario import (
    Office,
    asks_for,
    assert_well_formed,
    call,
    email_to,
    on,
    results_of,
    says,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel


def agent_that(office: Office, *replies: Any, **options: Any) -> tuple[Agent, ScriptedChatModel]:
    model = ScriptedChatModel(script=list(replies))
    return build_react_agent(model, office.tools, **options), model


def test_the_graph_goes_from_the_model_to_the_tools_and_back() -> None:
    agent, _ = agent_that(Office())

    edges = {(edge.source, edge.target) for edge in agent.get_graph().edges}

    assert set(agent.get_graph().nodes) == {"__start__", "llm_call", "tool_node", "__end__"}
    assert edges >= {
        ("__start__", "llm_call"),
        ("llm_call", "tool_node"),
        ("llm_call", "__end__"),
        ("tool_node", "llm_call"),
    }
    assert STEPS_PER_TOOL_ROUND == 2


def test_an_answer_without_a_tool_call_ends_the_run() -> None:
    agent, model = agent_that(Office(), "Selamat pagi!")

    result = agent.invoke(says("Pagi"))

    assert [message.text for message in result["messages"]] == ["Pagi", "Selamat pagi!"]
    assert model.bound_tool_names == ["get_weather", "send_email"]


def test_the_model_reads_the_results_of_its_calls_until_it_answers() -> None:
    office = Office()
    agent, model = agent_that(
        office,
        asks_for(weather_in("Bandung", "w1"), weather_in("Medan", "w2")),
        asks_for(email_to("budi@example.com")),
        "Budi sudah tahu.",
    )

    result = agent.invoke(says("Kabari Budi tentang cuaca"))

    assert_well_formed(result["messages"])
    assert sorted(office.looked_up) == ["Bandung", "Medan"]
    assert office.sent == ["budi@example.com"]
    assert [m.text for m in results_of(model.inputs[1])] == ["Sunny in Bandung", "Sunny in Medan"]
    assert result["messages"][-1].text == "Budi sudah tahu."


def test_an_agent_may_have_no_tools() -> None:
    model = ScriptedChatModel(script=["Halo"])

    result = build_react_agent(model, []).invoke(says("Hai"))

    assert result["messages"][-1].text == "Halo"
    assert model.bound_tools == []


def test_two_tools_of_one_name_are_refused_at_build_time() -> None:
    with pytest.raises(ValueError, match="get_weather"):
        build_react_agent(ScriptedChatModel(script=[]), [Office().get_weather] * 2)


class TestSystemPrompt:
    def test_b74_stands_in_front_of_every_model_call_and_is_never_stored(self) -> None:
        agent, model = agent_that(
            Office(),
            "satu",
            asks_for(weather_in("Bandung")),
            "dua",
            "tiga",
            checkpointer=InMemorySaver(),
        )

        agent.invoke(says("pertama"), on("t"))
        agent.invoke(says("kedua"), on("t"))
        result = agent.invoke(says("ketiga"), on("t"))

        assert len(model.inputs) == 4
        for messages in model.inputs:
            assert messages[0] == SystemMessage(REACT_SYSTEM_PROMPT)
            assert [m.type for m in messages].count("system") == 1
        assert "system" not in {message.type for message in result["messages"]}

    def test_can_be_replaced(self) -> None:
        agent, model = agent_that(Office(), "Arr", system_prompt="Talk like a pirate.")

        agent.invoke(says("Hai"))

        assert model.inputs[0][0] == SystemMessage("Talk like a pirate.")


class TestCallsThatCannotRun:
    def test_b60_an_unknown_tool_is_answered_with_the_names_of_the_real_ones(self) -> None:
        office = Office()
        agent, model = agent_that(
            office, asks_for(call("send_emial", "c1", to="a@example.com")), "Maaf, salah nama."
        )

        agent.invoke(says("Kirim"))

        [result] = results_of(model.inputs[1])
        assert result.status == "error"
        assert "send_emial" in result.text
        assert "get_weather" in result.text
        assert "send_email" in result.text
        assert office.sent == []

    def test_arguments_that_break_the_schema_are_answered_with_every_field_at_fault(self) -> None:
        booked = []

        @tool
        def book(room: str, guests: int) -> str:
            """Book a meeting room."""
            booked.append(room)
            return "booked"

        model = ScriptedChatModel(script=[asks_for(call("book", "c1", guests="many")), "Maaf."])

        build_react_agent(model, [book]).invoke(says("Pesan ruangan"))

        [result] = results_of(model.inputs[1])
        assert result.status == "error"
        assert "room" in result.text
        assert "guests" in result.text
        assert booked == []

    def test_the_neighbours_of_a_wrong_call_run(self) -> None:
        office = Office()
        agent, model = agent_that(
            office, asks_for(call("nope", "c1"), weather_in("Bandung", "w1")), "Cerah."
        )

        agent.invoke(says("Cuaca?"))

        assert [m.status for m in results_of(model.inputs[1])] == ["error", "success"]


class TestToolNode:
    def test_runs_only_calls_without_a_result(self) -> None:
        office = Office()
        asked = asks_for(weather_in("Bandung", "w1"), weather_in("Medan", "w2"))
        known = ToolMessage("Rain in Bandung", tool_call_id="w1")

        update = make_tool_node(office.tools)({"messages": [asked, known]})

        assert office.looked_up == ["Medan"]
        assert isinstance(update, dict)
        assert [result.tool_call_id for result in update["messages"]] == ["w2"]

    def test_runs_a_call_whose_id_was_used_for_an_earlier_one(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office,
            asks_for(weather_in("Bandung", "call_0")),
            asks_for(weather_in("Medan", "call_0")),
            "Cerah.",
        )

        result = agent.invoke(says("Cuaca dua kota"))

        assert office.looked_up == ["Bandung", "Medan"]
        assert_well_formed(result["messages"])

    def test_runs_nothing_when_every_call_has_its_result(self) -> None:
        office = Office()
        known = ToolMessage("Rain in Bandung", tool_call_id="w1")

        update = make_tool_node(office.tools)({"messages": [asks_for(weather_in("B")), known]})

        assert update == {"messages": []}
        assert office.looked_up == []

    @pytest.mark.parametrize("nothing", ["", []], ids=repr)
    def test_b68_a_result_is_never_empty(self, nothing: Any) -> None:
        @tool
        def archive() -> Any:
            """Put everything away."""
            return nothing

        update = make_tool_node([archive])({"messages": [asks_for(call("archive", "c1"))]})

        assert isinstance(update, dict)
        assert update["messages"][0].text.strip()
        assert update["messages"][0].status == "success"


class TestStepLimit:
    def test_25_steps_are_exactly_11_tool_rounds(self) -> None:
        office = Office()
        rounds = [asks_for(weather_in(f"Kota {n}", f"w{n}")) for n in range(11)]
        agent, _ = agent_that(office, *rounds, "Semua cerah.")

        result = agent.invoke(says("Cuaca 11 kota"), {"recursion_limit": 25})

        assert len(office.looked_up) == 11
        assert result["messages"][-1].text == "Semua cerah."

    @pytest.mark.parametrize("limit", [*range(2, 9), 24, 25])
    def test_b79_a_model_that_never_stops_is_answered_at_any_limit(self, limit: int) -> None:
        office = Office()
        forever = [asks_for(weather_in(f"Kota {n}", f"w{n}")) for n in range(limit)]
        agent, _ = agent_that(office, *forever)

        result = agent.invoke(says("Cuaca semua kota"), {"recursion_limit": limit})

        assert_well_formed(result["messages"])
        assert result["messages"][-1].text == STEP_LIMIT_MESSAGE
        assert len(office.looked_up) == (limit - 2) // 2

    def test_the_text_of_the_limit_is_part_of_the_interface(self) -> None:
        assert STEP_LIMIT_MESSAGE == (
            "Maaf, saya butuh lebih banyak langkah untuk menyelesaikan permintaan ini."
        )


@pytest.mark.parametrize("name", ["kirim email", "", "surat/kirim", "é", "a" * 129], ids=ascii)
def test_a_tool_whose_name_no_call_can_carry_is_refused_at_build_time(name: str) -> None:
    @tool
    def nameless() -> str:
        """Do something."""
        return "done"

    nameless.name = name
    with pytest.raises(
        ValueError, match="Tool names must be 1 to 128 of the characters"
    ) as refusal:
        build_react_agent(ScriptedChatModel(script=[]), [*Office().tools, nameless])

    assert str(refusal.value).endswith(f"got: {[name]}")
