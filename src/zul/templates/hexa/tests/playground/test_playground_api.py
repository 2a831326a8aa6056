import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.react.nodes.react_nodes import STEP_LIMIT_MESSAGE
from src.application.AI.agents.react.react import build_react_agent
from src.infrastructure.database.stores import get_stores
from src.interface.playground.features import FEATURES, Feature, find_feature
from tests.application.scenario import (
    APPROVE,
    REJECT,
    asks_for,
    assert_well_formed,
    call,
    edit_to,
    email_to,
    results_of,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel
from tests.http.service import Service

TURN = {
    "thread_id",
    "answer",
    "pending_review",
    "review_id",
    "error",
    "seconds",
    "steps",
}
REACT, HITL, SUBAGENTS = "ReAct", "Human-in-the-loop", "Subagents"


def say(service: Service, message: str, feature: str = REACT, **more: Any) -> Any:
    return service.post(
        "/playground/messages", feature=feature, message=message, thread_id="t", **more
    )


def resume(service: Service, value: Any, feature: str = HITL, **more: Any) -> Any:
    return service.post("/playground/resume", feature=feature, thread_id="t", value=value, **more)


def send_text(service: Service, path: str, body: dict[str, Any]) -> Any:
    """Send what the test client's own encoder refuses."""
    return service.client.post(
        path, content=json.dumps(body), headers={"Content-Type": "application/json"}
    )


def decisions(*given: Any) -> dict[str, Any]:
    return {"decisions": list(given)}


def outline(turn: dict[str, Any]) -> list[tuple[int, str, list[str]]]:
    return [
        (step["depth"], step["node"], [event["type"] for event in step["events"]])
        for step in turn["steps"]
    ]


def events(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for step in turn["steps"] for event in step["events"]]


@pytest.fixture
def own_features() -> Iterator[list[Feature]]:
    """The list of features, to be changed by the test."""
    before = list(FEATURES)
    yield FEATURES
    FEATURES[:] = before


class TestFeatures:
    def test_are_listed_in_their_order(self, playground: Service) -> None:
        response = playground.client.get("/playground/features")

        assert response.status_code == 200
        listed = response.json()
        assert [feature["name"] for feature in listed] == [REACT, HITL, SUBAGENTS]
        assert all(feature.keys() == {"name", "description", "examples"} for feature in listed)
        assert all(feature["description"] and feature["examples"] for feature in listed)

    def test_are_listed_by_a_service_that_cannot_build_them(
        self, playground: Service, own_features: list[Feature]
    ) -> None:
        own_features.append(Feature("Broken", "Never works.", lambda: 1 / 0))  # type: ignore[arg-type,return-value]

        listed = playground.client.get("/playground/features").json()

        assert listed[-1] == {"name": "Broken", "description": "Never works.", "examples": []}

    def test_can_be_added_by_an_owner(
        self, playground: Service, own_features: list[Feature]
    ) -> None:
        model = ScriptedChatModel(script=["Kakatua!"])
        agent = build_react_agent(model, [], checkpointer=InMemorySaver())
        own_features.append(Feature("Parrot", "Repeats.", lambda: agent, ("Halo",)))

        turn = say(playground, "Halo", "Parrot").json()

        assert turn["answer"] == "Kakatua!"
        assert find_feature("Parrot") is own_features[-1]
        assert find_feature("parrot") is None


class TestTurn:
    def test_holds_the_answer_and_every_step(self, stored_playground: Service) -> None:
        stored_playground.model_says(asks_for(weather_in("Bandung"), content="Sebentar."), "Cerah.")

        response = say(stored_playground, "Cuaca Bandung?")

        turn = response.json()
        assert response.status_code == 200
        assert turn.keys() == TURN
        assert (turn["thread_id"], turn["answer"]) == ("t", "Cerah.")
        assert (turn["pending_review"], turn["error"]) == (None, None)
        assert turn["seconds"] >= 0
        assert outline(turn) == [
            (0, "llm_call", ["text", "tool_call"]),
            (0, "tool_node", ["tool_result"]),
            (0, "llm_call", ["text"]),
        ]

    def test_describes_each_event_with_the_same_fields(self, playground: Service) -> None:
        playground.model_says(asks_for(weather_in("Bandung")), "Cerah.")

        called, result, text = events(say(playground, "Cuaca?").json())

        assert called == {
            "type": "tool_call",
            "name": "get_weather",
            "args": {"location": "Bandung"},
            "content": None,
            "failed": False,
        }
        assert result == {
            "type": "tool_result",
            "name": "get_weather",
            "args": None,
            "content": "Sunny in Bandung",
            "failed": False,
        }
        assert text == {
            "type": "text",
            "name": None,
            "args": None,
            "content": "Cerah.",
            "failed": False,
        }

    def test_marks_a_result_that_is_an_error(self, playground: Service) -> None:
        playground.model_says(asks_for(call("nothing_like_it", "c1")), "Maaf.")

        _, result, _ = events(say(playground, "Cuaca?").json())

        assert result["failed"] is True

    def test_shows_the_text_of_blocks_only(self, playground: Service) -> None:
        blocks: list[Any] = [
            {"type": "thinking", "thinking": "hmm", "signature": "c2ln"},
            {"type": "text", "text": "Cerah"},
        ]
        playground.model_says(AIMessage(blocks))

        turn = say(playground, "Cuaca?").json()

        assert turn["answer"] == "Cerah"
        assert [event["content"] for event in events(turn)] == ["Cerah"]

    def test_shows_the_steps_of_a_subagent_one_level_deeper(self, playground: Service) -> None:
        playground.model_says(
            asks_for(call("clerk", "d1", query="Cuaca Bandung?")),
            asks_for(weather_in("Bandung")),
            "Cerah di Bandung.",
            "Cerah.",
        )

        turn = say(playground, "Perlu payung?", SUBAGENTS).json()

        shown = [(depth, node) for depth, node, _ in outline(turn)]
        assert shown[0] == (0, "llm_call")
        assert shown[-2:] == [(0, "tool_node"), (0, "llm_call")]
        assert {depth for depth, _ in shown[1:-2]} == {1}
        assert (1, "tool_node") in shown

    def test_makes_a_thread_id_when_none_is_given(self, playground: Service) -> None:
        playground.model_says("Halo.", "Halo.")

        ids = {
            playground.post("/playground/messages", feature=REACT, message="Hai").json()[
                "thread_id"
            ]
            for _ in range(2)
        }

        assert len(ids) == 2
        assert all(len(thread_id) == 32 for thread_id in ids)

    def test_goes_on_in_the_very_conversation_of_the_clients(
        self, stored_playground: Service
    ) -> None:
        service = stored_playground
        service.model_says("Halo.", "Halo juga.")

        service.chat("Dari klien")
        say(service, "Dari playground")

        assert [message.text for message in service.messages()] == [
            "Dari klien",
            "Halo.",
            "Dari playground",
            "Halo juga.",
        ]


class TestMaxSteps:
    @pytest.mark.parametrize("path", ["messages", "resume"])
    @pytest.mark.parametrize("steps", [0, -1, 201, "many", 2.5])
    def test_outside_1_to_200_is_refused(self, playground: Service, path: str, steps: Any) -> None:
        body = {"feature": REACT, "message": "Hai", "thread_id": "t", "value": decisions(APPROVE)}

        response = playground.post(f"/playground/{path}", **body, max_steps=steps)

        assert response.status_code == 422
        assert playground.model.inputs == []

    @pytest.mark.parametrize(
        ("more", "rounds"),
        [({}, 11), ({"max_steps": 25}, 11), ({"max_steps": 4}, 1), ({"max_steps": 200}, 99)],
        ids=repr,
    )
    def test_says_how_many_tool_rounds_there_are(
        self, playground: Service, more: dict[str, Any], rounds: int
    ) -> None:
        forever = [asks_for(weather_in(f"Kota {n}", f"w{n}")) for n in range(rounds + 1)]
        playground.model_says(*forever, "Halo.")

        turn = say(playground, "Cuaca semua kota", **more).json()

        assert len(playground.office.looked_up) == rounds
        assert turn["answer"] == STEP_LIMIT_MESSAGE
        assert say(playground, "Hai").json()["answer"] == "Halo."
        assert_well_formed(playground.messages())

    @pytest.mark.parametrize("steps", [1, 2])
    def test_may_leave_room_for_an_answer_only(self, playground: Service, steps: int) -> None:
        playground.model_says("Halo.", asks_for(weather_in("Bandung")))

        answered = say(playground, "Hai", max_steps=steps).json()
        stopped = say(playground, "Cuaca?", max_steps=steps).json()

        assert (answered["answer"], answered["error"]) == ("Halo.", None)
        assert (stopped["answer"], stopped["error"]) == (STEP_LIMIT_MESSAGE, None)

    def test_holds_for_a_review_too(self, playground: Service) -> None:
        playground.model_says(asks_for(email_to("alice@example.com")))
        say(playground, "Kirim", HITL)
        playground.model_says(*[asks_for(weather_in("Medan", f"w{n}")) for n in range(9)])

        turn = resume(playground, decisions(APPROVE), max_steps=9).json()

        assert turn["answer"] == STEP_LIMIT_MESSAGE
        assert len(playground.office.looked_up) <= 3


class TestReview:
    def waiting(self, service: Service, feature: str = HITL) -> Any:
        service.model_says(asks_for(email_to("alice@example.com")))
        return say(service, "Kirim", feature).json()

    def test_is_the_one_that_clients_see(self, stored_playground: Service) -> None:
        turn = self.waiting(stored_playground)

        assert turn["answer"] is None
        assert turn["error"] is None
        assert turn["pending_review"] == {
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
        stored_playground.model_says("Selesai.")
        assert stored_playground.review(APPROVE, review_id=turn["review_id"]).status_code == 200

    @pytest.mark.parametrize(
        ("decision", "sent", "failed"),
        [
            (APPROVE, ["alice@example.com"], False),
            (edit_to("send_email", to="budi@example.com"), ["budi@example.com"], False),
            (REJECT, [], True),
        ],
        ids=["approve", "edit", "reject"],
    )
    def test_goes_on_with_a_decision(
        self, stored_playground: Service, decision: dict[str, Any], sent: list[str], *, failed: bool
    ) -> None:
        self.waiting(stored_playground)
        stored_playground.model_says("Selesai.")

        response = resume(stored_playground, decisions(decision))

        turn = response.json()
        assert response.status_code == 200
        assert (turn["answer"], turn["pending_review"]) == ("Selesai.", None)
        assert stored_playground.office.sent == sent
        assert [e["failed"] for e in events(turn) if e["type"] == "tool_result"] == [failed]

    @pytest.mark.parametrize(("decision", "rejected"), [(APPROVE, False), (REJECT, True)])
    def test_is_told_apart_from_a_failure_when_looking_back(
        self, stored_playground: Service, decision: dict[str, Any], *, rejected: bool
    ) -> None:
        self.waiting(stored_playground)
        stored_playground.model_says("Selesai.")
        resume(stored_playground, decisions(decision))

        thread = stored_playground.client.get("/hitl/threads/t").json()

        marks = [m["rejected"] for m in thread["messages"] if m["role"] == "tool"]
        assert marks == [rejected]

    def test_is_recorded_where_those_of_clients_are(self, stored_playground: Service) -> None:
        turn = self.waiting(stored_playground)
        stored_playground.model_says("Selesai.")

        resume(stored_playground, decisions(APPROVE))

        [review] = get_stores("hitl").reviews.history("t")
        assert (review.review_id, review.decisions) == (turn["review_id"], [APPROVE])
        assert review.settled

    def test_of_a_subagent_goes_on_too(self, playground: Service) -> None:
        playground.model_says(
            asks_for(call("clerk", "d1", query="Kirim")), asks_for(email_to("alice@example.com"))
        )
        turn = say(playground, "Kirim", SUBAGENTS).json()
        playground.model_says("Terkirim.", "Selesai.")

        end = resume(playground, decisions(APPROVE), SUBAGENTS).json()

        assert turn["pending_review"]["action_requests"][0]["args"] == {"to": "alice@example.com"}
        assert end["answer"] == "Selesai."
        assert playground.office.sent == ["alice@example.com"]
        assert {depth for depth, _, _ in outline(end)} == {0, 1}

    @pytest.mark.parametrize(
        ("value", "detail"),
        [
            (decisions(), "Butuh 1 keputusan (satu per aksi), diterima 0"),
            (decisions(APPROVE, APPROVE), "Butuh 1 keputusan (satu per aksi), diterima 2"),
            (
                decisions({"type": "postpone"}),
                "Jenis keputusan 'postpone' tidak dikenal. Pilihan: ['approve', 'edit', 'reject']",
            ),
            (
                decisions(None),
                "Jenis keputusan None tidak dikenal. Pilihan: ['approve', 'edit', 'reject']",
            ),
            (decisions({"type": "edit"}), "Keputusan 'edit' wajib menyertakan 'edited_action'"),
            *[
                (
                    decisions({"type": "edit", "edited_action": {"name": "send_email", "args": a}}),
                    "'edited_action' harus berisi 'name' (teks) dan 'args' (objek)",
                )
                for a in ("not JSON", [1, 2], "", None)
            ],
            ({"decisions": None}, "Butuh 1 keputusan (satu per aksi), diterima 0"),
            (None, "Butuh 1 keputusan (satu per aksi), diterima 0"),
            ({}, "Butuh 1 keputusan (satu per aksi), diterima 0"),
            ("yes", "Butuh 1 keputusan (satu per aksi), diterima 0"),
        ],
        ids=repr,
    )
    def test_b14_b16_is_checked_before_the_agent_moves(
        self, playground: Service, value: Any, detail: str
    ) -> None:
        self.waiting(playground)
        before = playground.checkpoints("/hitl/chat")

        response = resume(playground, value)

        assert (response.status_code, response.json()) == (400, {"detail": detail})
        assert playground.checkpoints("/hitl/chat") == before
        playground.model_says("Baik.")
        assert resume(playground, decisions(REJECT)).json()["answer"] == "Baik."

    @pytest.mark.parametrize("surplus", [2**70, "a\x00", "\ud800", float("nan")], ids=ascii)
    def test_ignores_fields_of_no_type_whatever_is_in_them(
        self, stored_playground: Service, surplus: Any
    ) -> None:
        self.waiting(stored_playground)
        stored_playground.model_says("Terkirim.")
        body = {"feature": HITL, "thread_id": "t", "value": decisions({**APPROVE, "x": surplus})}

        response = send_text(stored_playground, "/playground/resume", body)

        assert response.json()["answer"] == "Terkirim."
        assert stored_playground.office.sent == ["alice@example.com"]

    def test_of_an_earlier_pause_is_stale(self, playground: Service) -> None:
        self.waiting(playground)

        response = resume(playground, decisions(APPROVE), review_id="another")

        assert response.status_code == 400
        assert playground.office.sent == []

    @pytest.mark.parametrize("feature", [REACT, HITL, SUBAGENTS])
    def test_of_nothing_is_refused(self, playground: Service, feature: str) -> None:
        response = resume(playground, decisions(APPROVE), feature)

        assert response.status_code == 400
        assert response.json() == {
            "detail": "Tidak ada aksi yang menunggu persetujuan di percakapan ini"
        }

    def test_blocks_new_messages(self, playground: Service) -> None:
        self.waiting(playground)

        response = say(playground, "Batal", HITL)

        assert response.status_code == 400
        assert response.json() == {
            "detail": "Masih ada aksi yang menunggu persetujuan. Kirim keputusannya dulu."
        }


class TestRefusals:
    @pytest.mark.parametrize("path", ["messages", "resume"])
    @pytest.mark.parametrize("name", ["Nothing", "", "react"])
    def test_an_unknown_feature_is_404(self, playground: Service, path: str, name: str) -> None:
        body = {"feature": name, "message": "Hai", "thread_id": "t", "value": {}}

        response = playground.post(f"/playground/{path}", **body)

        assert response.status_code == 404
        assert response.json() == {"detail": f"Fitur '{name}' tidak ada"}

    def test_a_name_that_is_no_text_is_an_unknown_feature(self, playground: Service) -> None:
        body = {"feature": "\ud800", "message": "Hai"}

        assert send_text(playground, "/playground/messages", body).status_code == 404

    def test_a_blank_message_is_400(self, playground: Service) -> None:
        response = say(playground, "  ")

        assert (response.status_code, response.json()) == (
            400,
            {"detail": "Message tidak boleh kosong"},
        )

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("messages", {}),
            ("messages", {"feature": REACT, "message": ""}),
            ("messages", {"feature": REACT, "message": "a\x00"}),
            ("messages", {"feature": REACT, "message": "Hai", "thread_id": " "}),
            ("messages", {"feature": REACT, "message": "Hai", "thread_id": 1}),
            ("resume", {"feature": HITL, "value": {}}),
            ("resume", {"feature": HITL, "thread_id": "t"}),
        ],
        ids=repr,
    )
    def test_a_wrong_body_is_422(self, playground: Service, path: str, body: Any) -> None:
        assert playground.post(f"/playground/{path}", **body).status_code == 422

    def test_a_busy_conversation_is_409(
        self, playground: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CONVERSATION_WAIT_SECONDS", "0")

        with get_stores("chat").lock.hold("t"):
            response = say(playground, "Hai")

        assert response.status_code == 409

    @pytest.mark.parametrize("path", ["messages", "resume"])
    def test_a_feature_that_cannot_be_built_is_503_with_a_safe_reason(
        self, playground: Service, own_features: list[Feature], path: str
    ) -> None:
        def build() -> Any:
            raise RuntimeError("sk-test-1234567890")

        own_features.append(Feature("Broken", "Never works.", build))
        body = {"feature": "Broken", "message": "Hai", "thread_id": "t", "value": {}}

        response = playground.post(f"/playground/{path}", **body)

        assert response.status_code == 503
        assert response.json() == {"detail": "Terjadi kesalahan di server."}


class TestFailureOnTheWay:
    def test_is_a_200_that_says_what_failed_and_how_far_it_came(
        self, stored_playground: Service
    ) -> None:
        service = stored_playground
        service.model_says(asks_for(weather_in("Bandung")), RuntimeError("429 sk-test-1234567890"))

        response = say(service, "Cuaca?")

        turn = response.json()
        assert response.status_code == 200
        assert turn["error"] == {
            "type": "llm_unavailable",
            "message": "Model bahasa tidak dapat dihubungi. Coba lagi nanti.",
        }
        assert (turn["answer"], turn["pending_review"]) == (None, None)
        assert [node for _, node, _ in outline(turn)] == ["llm_call", "tool_node"]
        assert "sk-test" not in response.text

    def test_leaves_a_conversation_that_goes_on(self, stored_playground: Service) -> None:
        service = stored_playground
        service.model_says(RuntimeError("429"), "Halo.")

        say(service, "Cuaca?")

        assert say(service, "Hai").json()["answer"] == "Halo."
        assert_well_formed(service.messages())

    def test_after_an_approval_the_action_counts_as_done(self, playground: Service) -> None:
        playground.model_says(asks_for(email_to("alice@example.com")), RuntimeError("429"), "Halo.")
        say(playground, "Kirim", HITL)

        failed = resume(playground, decisions(APPROVE)).json()
        again = resume(playground, decisions(APPROVE))
        say(playground, "Hai", HITL)

        assert failed["error"]["type"] == "llm_unavailable"
        assert again.status_code == 400
        assert playground.office.sent == ["alice@example.com"]
        assert len(results_of(playground.messages("/hitl/chat"))) == 1


@pytest.mark.parametrize(
    "ending",
    [["Halo."], [asks_for(email_to("alice@example.com"))], [RuntimeError("429")]],
    ids=["an answer", "a pause", "a failure"],
)
def test_a_turn_ends_in_one_way_only(playground: Service, ending: list[Any]) -> None:
    playground.model_says(*ending)

    turn = say(playground, "Hai", HITL).json()

    assert sum(turn[key] is not None for key in ("answer", "pending_review", "error")) == 1
