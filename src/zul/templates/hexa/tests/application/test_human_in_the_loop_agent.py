import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from src.application.AI.agents.approval import ApprovalPolicy
from src.application.AI.agents.human_in_the_loop import human_in_the_loop
from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.human_in_the_loop.nodes import human_in_the_loop_nodes
from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import (
    ALLOWED_DECISIONS,
    NO_DECISION,
    REJECTED_BY_USER_MESSAGE,
    build_review_request,
    unanswered_tool_calls,
)
from src.application.AI.agents.react.nodes.react_nodes import STEP_LIMIT_MESSAGE
from src.application.AI.agents.react.react import Agent
from src.domain.templates.prompt.human_in_the_loop.human_in_the_loop_prompt_templates import (
    HUMAN_IN_THE_LOOP_SYSTEM_PROMPT,
)
from tests.application.scenario import (
    APPROVE,
    REJECT,
    Office,
    asks_for,
    assert_well_formed,
    call,
    edit_to,
    email_to,
    on,
    results_of,
    says,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel

GATED = {"send_email"}


def agent_that(
    office: Office, *replies: Any, gated: Any = GATED, **options: Any
) -> tuple[Agent, ScriptedChatModel]:
    model = ScriptedChatModel(script=list(replies))
    agent = build_human_in_the_loop_agent(
        model, office.tools, gated, checkpointer=InMemorySaver(), **options
    )
    return agent, model


def pause_in(result: dict[str, Any]) -> Any:
    [interrupt] = result["__interrupt__"]
    return interrupt.value


def decided(*decisions: Any) -> Command[Any]:
    return Command(resume={"decisions": list(decisions)})


def test_the_graph_reviews_before_it_runs_tools() -> None:
    agent, _ = agent_that(Office())

    edges = {(edge.source, edge.target) for edge in agent.get_graph().edges}

    assert set(agent.get_graph().nodes) == {
        "__start__",
        "llm_call",
        "human_review",
        "tool_node",
        "__end__",
    }
    assert edges >= {
        ("__start__", "llm_call"),
        ("llm_call", "human_review"),
        ("human_review", "tool_node"),
        ("human_review", "llm_call"),
        ("tool_node", "llm_call"),
        ("llm_call", "__end__"),
    }
    assert ("llm_call", "tool_node") not in edges
    assert human_in_the_loop.STEPS_PER_TOOL_ROUND == 3


def test_b74_the_system_prompt_stands_in_front_of_every_call_and_is_never_stored() -> None:
    agent, model = agent_that(Office(), asks_for(email_to("alice@example.com")), "Baik.", "Halo.")

    agent.invoke(says("Kirim"), on("t"))
    agent.invoke(decided(REJECT), on("t"))
    result = agent.invoke(says("Hai"), on("t"))

    assert len(model.inputs) == 3
    for messages in model.inputs:
        assert messages[0] == SystemMessage(HUMAN_IN_THE_LOOP_SYSTEM_PROMPT)
        assert [m.type for m in messages].count("system") == 1
    assert_well_formed(result["messages"])


def test_the_system_prompt_can_be_replaced() -> None:
    agent, model = agent_that(Office(), "Arr", system_prompt="Talk like a pirate.")

    agent.invoke(says("Hai"), on("t"))

    assert model.inputs[0][0] == SystemMessage("Talk like a pirate.")


class TestPause:
    def test_shows_what_waits_in_the_review_format_exactly(self) -> None:
        agent, _ = agent_that(Office(), asks_for(email_to("alice@example.com")))

        result = agent.invoke(says("Kirim email"), on("t"))

        assert pause_in(result) == {
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
        }

    def test_is_json_and_nothing_else(self) -> None:
        agent, _ = agent_that(Office(), asks_for(email_to("a@example.com"), email_to("b", "c2")))

        pause = pause_in(agent.invoke(says("Kirim dua"), on("t")))

        assert json.loads(json.dumps(pause)) == pause

    def test_b03_holds_only_calls_that_need_approval_in_their_order(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office,
            asks_for(
                weather_in("Medan", "w1"),
                email_to("second@example.com", "c2"),
                weather_in("Bandung", "w3"),
                email_to("first@example.com", "c1"),
            ),
        )

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))

        assert [action["args"]["to"] for action in pause["action_requests"]] == [
            "second@example.com",
            "first@example.com",
        ]
        assert len(pause["review_configs"]) == 2
        assert (office.sent, office.looked_up) == ([], [])

    def test_never_happens_for_calls_that_need_no_approval(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(weather_in("Bandung")), "Cerah.")

        result = agent.invoke(says("Cuaca?"), on("t"))

        assert "__interrupt__" not in result
        assert office.looked_up == ["Bandung"]

    def test_b60_an_unknown_tool_is_not_offered_for_approval(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office, asks_for(call("send_emial", "c1", to="x"), email_to("a@example.com", "c2")), "."
        )

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))
        result = agent.invoke(decided(APPROVE), on("t"))

        assert [action["name"] for action in pause["action_requests"]] == ["send_email"]
        wrong, right = results_of(result["messages"])
        assert (wrong.status, right.status) == ("error", "success")
        assert "send_email" in wrong.text

    def test_b54_shows_missing_arguments_as_they_are(self) -> None:
        office = Office()
        agent, model = agent_that(office, asks_for(call("send_email", "c1")), "Alamatnya?")

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))
        agent.invoke(decided(APPROVE), on("t"))

        assert pause["action_requests"][0]["args"] == {}
        assert results_of(model.inputs[1])[0].status == "error"
        assert office.sent == []


class TestDecisions:
    def test_an_approved_call_runs_as_it_was_shown(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("alice@example.com")), "Terkirim.")
        agent.invoke(says("Kirim"), on("t"))

        result = agent.invoke(decided(APPROVE), on("t"))

        assert office.sent == ["alice@example.com"]
        assert result["messages"][-1].text == "Terkirim."
        assert_well_formed(result["messages"])

    def test_b09_an_edited_call_replaces_the_call_in_the_same_message(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("new.york@example.com")), "Terkirim.")
        before = agent.invoke(says("Kirim"), on("t"))["messages"]

        after = agent.invoke(decided(edit_to("send_email", to="london@example.com")), on("t"))[
            "messages"
        ]

        assert after[1].id == before[1].id
        assert after[1].tool_calls == [email_to("london@example.com")]
        assert [m.tool_call_id for m in results_of(after)] == ["c1"]
        assert "new.york" not in repr(after)
        assert office.sent == ["london@example.com"]
        assert_well_formed(after)

    def test_b08_the_model_sees_what_ran_and_a_new_wish_needs_a_new_approval(self) -> None:
        office = Office()
        agent, model = agent_that(
            office,
            asks_for(email_to("a@example.com", "c1")),
            asks_for(email_to("a@example.com", "c2")),
        )
        agent.invoke(says("Kirim ke a"), on("t"))

        result = agent.invoke(decided(edit_to("send_email", to="b@example.com")), on("t"))

        shown = model.inputs[1][2]
        assert isinstance(shown, AIMessage)
        assert shown.tool_calls == [email_to("b@example.com", "c1")]
        assert pause_in(result)["action_requests"][0]["args"] == {"to": "a@example.com"}
        assert office.sent == ["b@example.com"]

    def test_an_edit_may_choose_another_tool(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("a@example.com")), "Cerah.")
        agent.invoke(says("Kirim"), on("t"))

        result = agent.invoke(decided(edit_to("get_weather", location="Bandung")), on("t"))

        assert (office.sent, office.looked_up) == ([], ["Bandung"])
        assert results_of(result["messages"])[0].name == "get_weather"

    @pytest.mark.parametrize("args", [{"to": [1]}, {"unknown": 1}, {"to": {"a": 1}}])
    def test_b62_wrong_edited_arguments_come_back_to_the_model(self, args: dict[str, Any]) -> None:
        office = Office()
        agent, model = agent_that(office, asks_for(email_to("a@example.com")), "Maaf.")
        agent.invoke(says("Kirim"), on("t"))

        result = agent.invoke(decided(edit_to("send_email", **args)), on("t"))

        assert "__interrupt__" not in result
        assert results_of(model.inputs[1])[0].status == "error"
        assert office.sent == []

    def test_b62_arguments_of_a_wrong_type_are_shown_as_sent_and_never_run(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to({"a": 1})), "Maaf.")

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))
        result = agent.invoke(decided(APPROVE), on("t"))

        assert pause["action_requests"][0]["args"] == {"to": {"a": 1}}
        assert results_of(result["messages"])[0].status == "error"
        assert office.sent == []

    @pytest.mark.parametrize(
        "reject", [REJECT, {**REJECT, "message": ""}, {**REJECT, "message": None}]
    )
    def test_a_rejection_without_a_reason_has_a_fixed_text(self, reject: dict[str, Any]) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("a@example.com")), "Baik.")
        agent.invoke(says("Kirim"), on("t"))

        result = agent.invoke(decided(reject), on("t"))

        [refused] = results_of(result["messages"])
        assert refused.text == "User rejected this action. It was not executed."
        assert (refused.status, refused.name) == ("error", "send_email")
        assert office.sent == []

    def test_b12_a_rejection_says_why_and_that_it_is_final(self) -> None:
        agent, _ = agent_that(Office(), asks_for(email_to("a@example.com")), "Baik.")
        agent.invoke(says("Kirim"), on("t"))

        result = agent.invoke(decided({**REJECT, "message": "Salah alamat"}), on("t"))

        text = results_of(result["messages"])[0].text
        assert text.startswith(REJECTED_BY_USER_MESSAGE)
        assert "Do not try it again" in text
        assert text.endswith("Salah alamat")

    def test_b01_each_decision_reaches_its_own_call(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office, asks_for(email_to("a@example.com", "c1"), email_to("b@example.com", "c2")), "."
        )
        agent.invoke(says("Kirim dua"), on("t"))

        result = agent.invoke(decided(REJECT, APPROVE), on("t"))

        assert office.sent == ["b@example.com"]
        assert [(m.tool_call_id, m.status) for m in results_of(result["messages"])] == [
            ("c1", "error"),
            ("c2", "success"),
        ]

    def test_the_other_calls_run_even_when_all_shown_ones_are_rejected(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office,
            asks_for(weather_in("Medan", "w1"), email_to("a"), weather_in("Bandung", "w2")),
            "Cerah, tanpa email.",
        )
        agent.invoke(says("Cuaca dan email"), on("t"))

        result = agent.invoke(decided(REJECT), on("t"))

        assert sorted(office.looked_up) == ["Bandung", "Medan"]
        assert office.sent == []
        assert [m.tool_call_id for m in results_of(result["messages"])] == ["w1", "c1", "w2"]
        assert_well_formed(result["messages"])

    def test_b77_a_human_remark_stays_inside_the_error_result(self) -> None:
        agent, model = agent_that(
            Office(),
            asks_for(email_to("a", "c1"), weather_in("Medan", "c2"), email_to("b", "c3")),
            ".",
        )
        agent.invoke(says("Kirim"), on("t"))

        agent.invoke(decided({**REJECT, "message": "Jangan ke a"}, APPROVE), on("t"))

        _, question, asked, *results = model.inputs[1]
        assert (question.type, asked.type) == ("human", "ai")
        assert [getattr(m, "tool_call_id", None) for m in results] == ["c1", "c2", "c3"]
        assert "Jangan ke a" in results[0].text

    def test_b06_a_rejected_call_runs_on_no_way_into_the_tool_node(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("a@example.com")), "Baik.")
        agent.invoke(says("Kirim"), on("t"))
        result = agent.invoke(decided(REJECT), on("t"))

        agent.update_state(on("t"), {"messages": []}, as_node="llm_call")
        agent.invoke(None, on("t"))

        assert office.sent == []
        assert len(results_of(result["messages"])) == 1

    def test_a_call_that_needs_approval_never_runs_from_a_bare_state(self) -> None:
        office = Office()
        policy = ApprovalPolicy(GATED)
        node = human_in_the_loop_nodes.make_tool_node(office.tools, policy)

        update = node({"messages": [asks_for(email_to("a@example.com"))]})

        assert office.sent == []
        assert isinstance(update, dict)
        assert update["messages"][0].status == "error"


class TestDirectResume:
    """``Command(resume=...)`` without a use case in between that checks the decisions."""

    def test_b04_an_action_without_a_decision_counts_as_rejected(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office, asks_for(email_to("a@example.com", "c1"), email_to("b@example.com", "c2")), "."
        )
        agent.invoke(says("Kirim dua"), on("t"))

        result = agent.invoke(decided(APPROVE), on("t"))

        assert office.sent == ["a@example.com"]
        assert [m.text for m in results_of(result["messages"])] == [
            "Sent to a@example.com",
            "No decision was given for this action. It was not executed.",
        ]

    def test_surplus_decisions_are_ignored(self) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("a@example.com")), "Baik.")
        agent.invoke(says("Kirim"), on("t"))

        agent.invoke(decided(REJECT, APPROVE, APPROVE), on("t"))

        assert office.sent == []

    @pytest.mark.parametrize(
        "answer",
        [
            "yes",
            True,
            [],
            [APPROVE],
            {"decisions": None},
            {"decisions": "approve"},
            {"decisions": [None]},
            {"decisions": ["approve"]},
            {"decisions": [{"type": "postpone"}]},
            {"decisions": [{"type": ["approve"]}]},
            {"decisions": [{"type": "edit"}]},
            {"decisions": [{"type": "edit", "edited_action": {"name": 1, "args": {}}}]},
            {"decisions": [{"type": "edit", "edited_action": {"name": "send_email", "args": []}}]},
            {"other": 1},
        ],
        ids=repr,
    )
    def test_an_answer_that_decides_nothing_runs_nothing_and_sticks_nowhere(
        self, answer: Any
    ) -> None:
        office = Office()
        agent, _ = agent_that(office, asks_for(email_to("a@example.com")), "Baik.", "Halo.")
        agent.invoke(says("Kirim"), on("t"))

        agent.invoke(Command(resume=answer), on("t"))
        result = agent.invoke(says("Hai"), on("t"))

        assert results_of(result["messages"])[0].text == NO_DECISION["message"]
        assert office.sent == []
        assert_well_formed(result["messages"])

    @pytest.mark.parametrize("round_", range(3))
    def test_b21_asking_again_shows_the_same_actions_and_does_nothing_twice(
        self, round_: int
    ) -> None:
        office = Office()
        seen: list[dict[str, Any]] = []

        def needs_approval(args: dict[str, Any]) -> bool:
            seen.append(args)
            return True

        agent, model = agent_that(
            office,
            asks_for(email_to("a@example.com")),
            "Terkirim.",
            gated={"send_email": needs_approval},
        )
        shown = agent.invoke(says("Kirim"), on(f"t{round_}"))["__interrupt__"]
        asked_again = agent.get_state(on(f"t{round_}")).interrupts

        agent.invoke(decided(APPROVE), on(f"t{round_}"))

        assert list(asked_again) == shown
        assert all(args == {"to": "a@example.com"} for args in seen)
        assert office.sent == ["a@example.com"]
        assert len(model.inputs) == 2


class TestMistakesAtBuildTime:
    def test_a_gate_for_a_tool_that_is_not_there_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"sendmail.*get_weather.*send_email"):
            agent_that(Office(), gated={"sendmail"})

    def test_a_single_text_is_no_collection_of_names(self) -> None:
        with pytest.raises(ValueError, match="the single text 'send_email'"):
            agent_that(Office(), gated="send_email")

    def test_a_condition_that_is_no_function_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"send_email.*False"):
            agent_that(Office(), gated={"send_email": False})

    @pytest.mark.parametrize("allowed", [[], ["aprove"], ["approve", "edits"]], ids=repr)
    def test_b11_misspelt_decisions_are_refused_and_never_open_the_gate(
        self, allowed: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(human_in_the_loop_nodes, "ALLOWED_DECISIONS", allowed)

        with pytest.raises(ValueError, match="ALLOWED_DECISIONS"):
            agent_that(Office())


class TestConditions:
    @pytest.mark.parametrize(
        "gated", [{"send_email": None}, ["send_email"], ("send_email",)], ids=repr
    )
    def test_without_a_condition_every_call_waits(self, gated: Any) -> None:
        agent, _ = agent_that(Office(), asks_for(email_to("a@example.com")), gated=gated)

        assert pause_in(agent.invoke(says("Kirim"), on("t")))

    def test_a_condition_looks_at_the_arguments_of_each_call(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office,
            asks_for(email_to("boss@example.com", "c1"), email_to("me@example.com", "c2")),
            "Terkirim.",
            gated={"send_email": lambda args: args["to"] != "me@example.com"},
        )

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))
        agent.invoke(decided(REJECT), on("t"))

        assert [action["args"]["to"] for action in pause["action_requests"]] == ["boss@example.com"]
        assert office.sent == ["me@example.com"]

    def test_a_condition_that_raises_asks_a_person(self) -> None:
        agent, _ = agent_that(
            Office(),
            asks_for(email_to("a@example.com")),
            gated={"send_email": lambda args: args["amount"] > 5},
        )

        assert pause_in(agent.invoke(says("Kirim"), on("t")))

    def test_a_condition_cannot_change_the_arguments(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office,
            asks_for(email_to("a@example.com")),
            "Terkirim.",
            gated={"send_email": lambda args: bool(args.clear()) or True},
        )

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))

        assert pause["action_requests"][0]["args"] == {"to": "a@example.com"}

    def test_a_condition_cannot_change_what_lies_inside_the_arguments(self) -> None:
        office = Office()
        agent, _ = agent_that(
            office,
            asks_for(email_to("a@example.com", subject="Halo", cc=None, extra=["x"])),
            "Terkirim.",
            gated={"send_email": lambda args: bool(args["extra"].append("y")) or True},
        )

        pause = pause_in(agent.invoke(says("Kirim"), on("t")))

        assert pause["action_requests"][0]["args"]["extra"] == ["x"]


class TestStepLimit:
    def test_25_steps_are_exactly_7_tool_rounds(self) -> None:
        office = Office()
        rounds = [asks_for(weather_in(f"Kota {n}", f"w{n}")) for n in range(7)]
        agent, _ = agent_that(office, *rounds, "Semua cerah.")

        result = agent.invoke(says("Cuaca 7 kota"), on("t"))

        assert len(office.looked_up) == 7
        assert result["messages"][-1].text == "Semua cerah."

    @pytest.mark.parametrize("limit", [*range(2, 9), 24, 25])
    def test_b79_a_model_that_never_stops_is_answered_at_any_limit(self, limit: int) -> None:
        office = Office()
        forever = [asks_for(weather_in(f"Kota {n}", f"w{n}")) for n in range(limit)]
        agent, _ = agent_that(office, *forever)

        result = agent.invoke(says("Cuaca semua kota"), on("t", recursion_limit=limit))

        assert_well_formed(result["messages"])
        assert result["messages"][-1].text == STEP_LIMIT_MESSAGE
        assert len(office.looked_up) == max(0, (limit - 2) // 3)

    def test_b12_each_review_has_the_whole_limit_to_itself(self) -> None:
        office = Office()
        stubborn = [asks_for(email_to("a@example.com", f"c{n}")) for n in range(30)]
        agent, _ = agent_that(office, *stubborn)
        result = agent.invoke(says("Kirim"), on("t"))

        for _ in range(29):
            result = agent.invoke(decided({**REJECT, "message": "Jangan"}), on("t"))
            assert len(pause_in(result)["action_requests"]) == 1

        assert office.sent == []
        assert len(results_of(result["messages"])) == 29


def test_the_names_of_the_contract() -> None:
    assert ALLOWED_DECISIONS == ["approve", "edit", "reject"]
    assert human_in_the_loop_nodes.APPROVE == {"type": "approve"}
    assert REJECTED_BY_USER_MESSAGE == "User rejected this action. It was not executed."
    assert NO_DECISION == {
        "type": "reject",
        "message": "No decision was given for this action. It was not executed.",
    }
    assert build_review_request([]) == {"action_requests": [], "review_configs": []}


def test_unanswered_calls_are_those_of_the_newest_message_only() -> None:
    old, new = asks_for(weather_in("Medan", "old")), asks_for(weather_in("Bandung", "new"))

    assert unanswered_tool_calls([old, new]) == new.tool_calls
    assert unanswered_tool_calls([]) == []
