from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.react.nodes.react_nodes import STEP_LIMIT_MESSAGE
from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.subagents.subagents import (
    MAX_SUBAGENT_STEPS,
    SubagentSpec,
    build_subagent_tool,
    build_supervisor_agent,
)
from src.application.errors import (
    ModelCallError,
    ModelTimeoutError,
    ServiceError,
    ToolFailedError,
)
from src.application.usecases.chat import ChatUseCase
from src.domain.templates.prompt.subagents.subagents_prompt_templates import (
    SUPERVISOR_SYSTEM_PROMPT,
)
from tests.application.scenario import (
    Office,
    asks_for,
    assert_well_formed,
    call,
    on,
    results_of,
    says,
    texts_of_user,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel


def forecaster(office: Office, *replies: Any) -> tuple[SubagentSpec, ScriptedChatModel]:
    model = ScriptedChatModel(script=list(replies))
    spec = SubagentSpec(
        name="forecaster",
        description="Knows the weather.",
        system_prompt="You forecast.",
        tools=[office.get_weather],
        llm=model,
    )
    return spec, model


def ask_forecaster(query: str, call_id: str = "d1") -> Any:
    return call("forecaster", call_id, query=query)


def supervisor_of(
    *specs: SubagentSpec, replies: list[Any], **options: Any
) -> tuple[Agent, ScriptedChatModel]:
    model = ScriptedChatModel(script=replies)
    agent = build_supervisor_agent(model, specs, checkpointer=InMemorySaver(), **options)
    return agent, model


def test_a_subagent_is_a_tool_of_the_supervisor() -> None:
    spec, _ = forecaster(Office())
    agent, model = supervisor_of(spec, replies=["Halo."])

    agent.invoke(says("Hai"), on("t"))

    assert set(agent.get_graph().nodes) == {"__start__", "llm_call", "tool_node", "__end__"}
    [bound] = model.bound_tools
    assert bound["function"]["name"] == "forecaster"
    assert bound["function"]["description"] == "Knows the weather."
    assert list(bound["function"]["parameters"]["properties"]) == ["query"]
    assert model.inputs[0][0] == SystemMessage(SUPERVISOR_SYSTEM_PROMPT)


def test_b74_every_model_call_has_one_system_message_and_the_history_none() -> None:
    spec, sub = forecaster(Office(), *["Cerah."] * 3)
    wishes = [asks_for(ask_forecaster("?", f"d{n}")) for n in range(3)]
    agent, model = supervisor_of(
        spec, replies=[wishes[0], "satu", wishes[1], "dua", wishes[2], "tiga"]
    )

    agent.invoke(says("pertama"), on("t"))
    agent.invoke(says("kedua"), on("t"))
    result = agent.invoke(says("ketiga"), on("t"))

    for messages in [*model.inputs, *sub.inputs]:
        assert [m.type for m in messages].index("system") == 0
        assert [m.type for m in messages].count("system") == 1
    assert_well_formed(result["messages"])


def test_the_supervisors_prompt_can_be_replaced() -> None:
    spec, _ = forecaster(Office())
    agent, model = supervisor_of(spec, replies=["Halo."], system_prompt="Be brief.")

    agent.invoke(says("Hai"), on("t"))

    assert model.inputs[0][0] == SystemMessage("Be brief.")


def test_a_task_comes_back_as_the_subagents_last_text() -> None:
    office = Office()
    spec, sub = forecaster(office, asks_for(weather_in("Bandung")), "Cerah di Bandung.")
    agent, model = supervisor_of(spec, replies=[asks_for(ask_forecaster("Bandung?")), "Cerah."])

    result = agent.invoke(says("Perlu payung?"), on("t"))

    assert office.looked_up == ["Bandung"]
    assert sub.bound_tool_names == ["get_weather"]
    [report] = results_of(model.inputs[1])
    assert (report.text, report.name) == ("Cerah di Bandung.", "forecaster")
    assert result["messages"][-1].text == "Cerah."
    assert_well_formed(result["messages"])


def test_b47_a_subagent_sees_its_own_prompt_and_its_query_and_nothing_else() -> None:
    spec, sub = forecaster(Office(), "Cerah.")
    agent, _ = supervisor_of(
        spec, replies=["Halo.", asks_for(ask_forecaster("Cuaca Bandung besok")), "Cerah."]
    )

    agent.invoke(says("Rahasia saya: 42"), on("t"))
    agent.invoke(says("Perlu payung?"), on("t"))

    [messages] = sub.inputs
    assert messages[0] == SystemMessage("You forecast.")
    assert [(m.type, m.text) for m in messages[1:]] == [("human", "Cuaca Bandung besok")]


def test_b45_every_task_starts_from_an_empty_context() -> None:
    spec, sub = forecaster(Office(), *["Cerah."] * 4)
    two_tasks = asks_for(ask_forecaster("Bandung", "d1"), ask_forecaster("Medan", "d2"))
    agent, _ = supervisor_of(spec, replies=[two_tasks, "Cerah semua.", two_tasks, "Masih cerah."])

    agent.invoke(says("Cuaca?"), on("t"))
    result = agent.invoke(says("Cuaca?"), on("t"))

    assert sorted(str(texts_of_user(messages)) for messages in sub.inputs) == sorted(
        ["['Bandung']", "['Medan']"] * 2
    )
    assert all(len(messages) == 2 for messages in sub.inputs)
    assert_well_formed(result["messages"])


def test_a_subagent_without_a_model_of_its_own_uses_the_supervisors() -> None:
    spec = SubagentSpec("forecaster", "Knows the weather.", "You forecast.", [])
    agent, model = supervisor_of(
        spec, replies=[asks_for(ask_forecaster("Bandung?")), "Cerah di Bandung.", "Cerah."]
    )

    result = agent.invoke(says("Perlu payung?"), on("t"))

    assert model.inputs[1][0] == SystemMessage("You forecast.")
    assert results_of(result["messages"])[0].text == "Cerah di Bandung."


def test_two_subagents_of_one_name_are_refused_at_build_time() -> None:
    spec, _ = forecaster(Office())

    with pytest.raises(ValueError, match=r"Subagent names must be unique.*forecaster"):
        supervisor_of(spec, spec, replies=[])


def test_b38_a_gate_for_a_tool_that_the_subagent_does_not_have_is_refused() -> None:
    spec = SubagentSpec("clerk", "Sends.", "Send.", [], tools_requiring_approval={"send_email"})

    with pytest.raises(ValueError, match="send_email"):
        supervisor_of(spec, replies=[])


def test_a_subagent_can_be_used_as_a_plain_tool() -> None:
    spec, _ = forecaster(Office(), "Cerah.")

    delegate = build_subagent_tool(spec, ScriptedChatModel(script=[]))

    assert delegate.invoke({"query": "Bandung?"}) == "Cerah."


@pytest.mark.parametrize("nothing", ["", []], ids=repr)
def test_b43_a_silent_supervisor_still_answers_and_the_next_turn_works(nothing: Any) -> None:
    def coordinate(messages: list[BaseMessage]) -> AIMessage:
        if messages[-1].type == "tool":
            return AIMessage(nothing)
        wish = asks_for(ask_forecaster("Berapa?"))
        return wish if messages[-1].text == "Berapa?" else AIMessage("Halo.")

    spec, _ = forecaster(Office(), "42")
    agent, _ = supervisor_of(spec, replies=[coordinate] * 4)
    usecase = ChatUseCase(agent)

    assert usecase.execute("Berapa?", "t").strip()
    assert usecase.execute("Hai", "t") == "Halo."
    assert_well_formed(agent.get_state(on("t")).values["messages"])


def test_b68_a_silent_subagent_still_reports_something() -> None:
    spec, _ = forecaster(Office(), "", "")
    agent, _ = supervisor_of(spec, replies=[asks_for(ask_forecaster("?")), "Tidak tahu."])

    result = agent.invoke(says("Berapa?"), on("t"))

    assert results_of(result["messages"])[0].text.strip()


class TestStepLimits:
    def test_a_task_has_15_steps_of_its_own_which_are_6_tool_rounds(self) -> None:
        office = Office()
        spec, _ = forecaster(office, *[asks_for(weather_in(f"K{n}", f"w{n}")) for n in range(7)])
        agent, _ = supervisor_of(spec, replies=[asks_for(ask_forecaster("?")), "Tidak selesai."])

        result = agent.invoke(says("Cuaca?"), on("t"))

        assert MAX_SUBAGENT_STEPS == 15
        assert len(office.looked_up) == 6
        assert results_of(result["messages"])[0].text == STEP_LIMIT_MESSAGE
        assert result["messages"][-1].text == "Tidak selesai."

    def test_b49_a_supervisor_that_delegates_for_ever_stops_and_goes_on(self) -> None:
        spec, sub = forecaster(Office(), *["Belum."] * 200)
        forever = [asks_for(ask_forecaster("Lagi", f"d{n}")) for n in range(12)]
        agent, _ = supervisor_of(spec, replies=[*forever, "Halo."])
        usecase = ChatUseCase(agent)

        assert usecase.execute("Terus", "t") == STEP_LIMIT_MESSAGE
        assert len(sub.inputs) == 11
        assert usecase.execute("Hai", "t") == "Halo."
        assert_well_formed(agent.get_state(on("t")).values["messages"])


class TestFailuresInside:
    def test_a_tool_that_raises_fails_the_request_and_the_next_message_works(self) -> None:
        @tool
        def get_weather(location: str) -> str:
            """Get the weather of a city."""
            raise ValueError("kaput")

        spec = SubagentSpec("forecaster", "Knows.", "You forecast.", [get_weather])
        agent, _ = supervisor_of(
            spec,
            replies=[asks_for(ask_forecaster("?")), asks_for(weather_in("Bandung")), "Halo."],
        )
        usecase = ChatUseCase(agent)

        with pytest.raises(ToolFailedError):
            usecase.execute("Cuaca?", "t")

        assert usecase.execute("Hai", "t") == "Halo."
        assert_well_formed(agent.get_state(on("t")).values["messages"])

    @pytest.mark.parametrize(
        ("error", "failure"),
        [(RuntimeError("429"), ModelCallError), (ModelTimeoutError(), ModelTimeoutError)],
        ids=["no reply", "no reply in time"],
    )
    def test_a_model_that_fails_is_told_from_a_tool_that_raises(
        self, error: Exception, failure: type[ServiceError]
    ) -> None:
        spec, _ = forecaster(Office(), error)
        agent, _ = supervisor_of(spec, replies=[asks_for(ask_forecaster("?")), "Halo."])
        usecase = ChatUseCase(agent)

        with pytest.raises(ServiceError) as failed:
            usecase.execute("Cuaca?", "t")

        assert type(failed.value) is failure
        assert usecase.execute("Hai", "t") == "Halo."
        assert_well_formed(agent.get_state(on("t")).values["messages"])
