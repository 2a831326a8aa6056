"""Whatever stopped a turn, the conversation goes on."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import override

from src.application.AI.agents.react.react import build_react_agent
from src.application.conversation import NO_RESULT_MESSAGE
from src.application.errors import ModelCallError, ModelTimeoutError, ToolFailedError
from src.application.usecases.chat import ChatUseCase
from tests.application.desk import Desk
from tests.application.scenario import (
    APPROVE,
    Office,
    asks_for,
    assert_well_formed,
    call,
    on,
    results_of,
    texts_of_user,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel

TOO_MANY_REQUESTS = RuntimeError("429 Too Many Requests")


class PowerCut(BaseException):
    """The process dies here."""


class FlickeringSaver(InMemorySaver):
    """Loses power once, when the checkpoint of a step is to be written."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self._steps = [step]

    @override
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        if metadata["step"] in self._steps:
            self._steps.clear()
            raise PowerCut
        return super().put(config, checkpoint, metadata, new_versions)


class Chat:
    """A plain conversation of the thread ``t``."""

    def __init__(
        self,
        *replies: Any,
        tools: list[BaseTool] | None = None,
        saver: InMemorySaver | None = None,
    ) -> None:
        self.office = Office()
        self.model = ScriptedChatModel(script=list(replies))
        self.agent = build_react_agent(
            self.model,
            self.office.tools if tools is None else tools,
            checkpointer=saver or InMemorySaver(),
        )
        self.usecase = ChatUseCase(self.agent)

    def say(self, message: str) -> str:
        return self.usecase.execute(message, "t")

    @property
    def messages(self) -> list[Any]:
        return list(self.agent.get_state(on("t")).values["messages"])


class Oven:
    """A tool that fails, or kills the process, the first time."""

    def __init__(self, error: BaseException) -> None:
        self.baked = 0
        self._errors = [error]

    @property
    def bake(self) -> BaseTool:
        @tool
        def bake(cake: str) -> str:
            """Bake a cake."""
            self.baked += 1
            if self._errors:
                raise self._errors.pop()
            return f"{cake} is ready"

        return bake


class TestModelThatFails:
    def test_is_a_failure_of_the_service_that_hides_the_providers_words(self) -> None:
        with pytest.raises(ModelCallError) as failed:
            Chat(RuntimeError("401 for key sk-test-123")).say("Hai")

        assert "sk-test" not in str(failed.value)
        assert "sk-test" in str(failed.value.__cause__)

    def test_keeps_an_error_that_is_already_the_services_own(self) -> None:
        with pytest.raises(ModelTimeoutError):
            Chat(ModelTimeoutError()).say("Hai")

    def test_b84_the_same_message_again_is_stored_once(self) -> None:
        chat = Chat(TOO_MANY_REQUESTS, TOO_MANY_REQUESTS, "Halo.")
        for _ in range(2):
            with pytest.raises(ModelCallError):
                chat.say("Hai")

        assert chat.say("Hai") == "Halo."

        assert texts_of_user(chat.messages) == ["Hai"]
        assert texts_of_user(chat.model.inputs[2]) == ["Hai"]
        assert_well_formed(chat.messages)

    def test_b84_the_same_message_again_runs_no_finished_tool_again(self) -> None:
        chat = Chat(asks_for(weather_in("Bandung")), TOO_MANY_REQUESTS, "Cerah.")
        with pytest.raises(ModelCallError):
            chat.say("Cuaca?")

        assert chat.say("Cuaca?") == "Cerah."

        assert chat.office.looked_up == ["Bandung"]
        assert texts_of_user(chat.messages) == ["Cuaca?"]

    def test_another_message_closes_the_turn(self) -> None:
        chat = Chat(asks_for(weather_in("Bandung")), TOO_MANY_REQUESTS, "Halo.")
        with pytest.raises(ModelCallError):
            chat.say("Cuaca?")

        assert chat.say("Hai") == "Halo."

        assert chat.office.looked_up == ["Bandung"]
        assert [m.text for m in chat.model.inputs[2]][-3:] == [
            "Sunny in Bandung",
            "Maaf, permintaan ini berhenti sebelum selesai.",
            "Hai",
        ]
        assert_well_formed(chat.messages)

    def test_the_same_words_later_are_a_new_message(self) -> None:
        chat = Chat("Halo.", "Halo lagi.")

        chat.say("Hai")
        chat.say("Hai")

        assert texts_of_user(chat.messages) == ["Hai", "Hai"]

    def test_b28_a_failed_turn_does_not_look_like_a_pause(self) -> None:
        desk = Desk(TOO_MANY_REQUESTS, "Halo.")
        with pytest.raises(ModelCallError):
            desk.say("Kirim")

        turn = desk.say("Hai")

        assert (turn.answer, turn.pending_review) == ("Halo.", None)
        assert_well_formed(desk.messages)


class TestToolThatRaises:
    def test_b61_fails_the_request_and_names_the_tool_alone(self) -> None:
        oven = Oven(ValueError("/srv/secrets/oven.key is missing"))

        with pytest.raises(ToolFailedError) as failed:
            Chat(asks_for(call("bake", "b1", cake="Lapis")), tools=[oven.bake]).say("Kue?")

        assert str(failed.value) == "Tool `bake` gagal dijalankan"

    def test_keeps_the_results_of_its_neighbours(self) -> None:
        oven, office = Oven(ValueError("kaput")), Office()
        chat = Chat(
            asks_for(
                weather_in("A", "w1"), call("bake", "b1", cake="Lapis"), weather_in("B", "w2")
            ),
            "Halo.",
            tools=[office.get_weather, oven.bake],
        )
        with pytest.raises(ToolFailedError):
            chat.say("Semua")

        assert chat.say("Hai") == "Halo."

        assert [(m.text, m.status) for m in results_of(chat.messages)] == [
            ("Sunny in A", "success"),
            ("Error: bake failed. It may or may not have had an effect.", "error"),
            ("Sunny in B", "success"),
        ]
        assert sorted(office.looked_up) == ["A", "B"]
        assert oven.baked == 1
        assert_well_formed(chat.messages)

    def test_is_left_to_the_model_when_the_same_message_comes_again(self) -> None:
        oven = Oven(ValueError("kaput"))
        chat = Chat(
            asks_for(call("bake", "b1", cake="Lapis")),
            "Oven rusak.",
            tools=[oven.bake],
        )
        with pytest.raises(ToolFailedError):
            chat.say("Kue?")

        assert chat.say("Kue?") == "Oven rusak."

        assert oven.baked == 1
        assert results_of(chat.model.inputs[1])[0].status == "error"
        assert texts_of_user(chat.messages) == ["Kue?"]

    def test_may_be_tried_again_by_the_model(self) -> None:
        oven = Oven(ValueError("kaput"))
        chat = Chat(
            asks_for(call("bake", "b1", cake="Lapis")),
            asks_for(call("bake", "b2", cake="Lapis")),
            "Kue siap.",
            tools=[oven.bake],
        )
        with pytest.raises(ToolFailedError):
            chat.say("Kue?")

        assert chat.say("Kue?") == "Kue siap."
        assert oven.baked == 2

    def test_after_an_approval_it_counts_as_tried(self) -> None:
        oven = Oven(ValueError("kaput"))
        desk = Desk(
            asks_for(call("bake", "b1", cake="Lapis")), "Halo.", tools=[oven.bake], gated=["bake"]
        )
        desk.say("Kue?")
        with pytest.raises(ToolFailedError):
            desk.decide(APPROVE)

        assert desk.say("Hai").answer == "Halo."

        assert oven.baked == 1
        [record] = desk.ledger.records("t")
        assert record.status == "failed"
        assert_well_formed(desk.messages)


class TestPowerCutWithoutApproval:
    def test_another_message_says_that_the_result_is_unknown(self) -> None:
        oven = Oven(PowerCut())
        chat = Chat(asks_for(call("bake", "b1", cake="Lapis")), "Halo.", tools=[oven.bake])
        with pytest.raises(PowerCut):
            chat.say("Kue?")

        assert chat.say("Hai") == "Halo."

        assert [(m.text, m.status) for m in results_of(chat.messages)] == [
            (NO_RESULT_MESSAGE, "error")
        ]
        assert oven.baked == 1
        assert_well_formed(chat.messages)

    def test_the_same_message_takes_the_turn_up_again(self) -> None:
        oven = Oven(PowerCut())
        chat = Chat(asks_for(call("bake", "b1", cake="Lapis")), "Kue siap.", tools=[oven.bake])
        with pytest.raises(PowerCut):
            chat.say("Kue?")

        assert chat.say("Kue?") == "Kue siap."

        assert oven.baked == 2
        assert_well_formed(chat.messages)

    def test_a_finished_neighbour_keeps_its_result(self) -> None:
        oven, office = Oven(PowerCut()), Office()
        chat = Chat(
            asks_for(weather_in("Bandung"), call("bake", "b1", cake="Lapis")),
            "Halo.",
            tools=[office.get_weather, oven.bake],
        )
        with pytest.raises(PowerCut):
            chat.say("Semua")
        known = office.looked_up == ["Bandung"]

        chat.say("Hai")

        first = results_of(chat.messages)[0].text
        assert first in ({"Sunny in Bandung", NO_RESULT_MESSAGE} if known else {NO_RESULT_MESSAGE})
        assert len(office.looked_up) <= 1
        assert_well_formed(chat.messages)

    @pytest.mark.parametrize("step", [-1, 0, 1, 2, 3])
    def test_between_a_steps_work_and_its_checkpoint_the_turn_is_still_unfinished(
        self, step: int
    ) -> None:
        wish = asks_for(weather_in("Bandung"))
        chat = Chat(*[answering(wish)] * 6, saver=FlickeringSaver(step))
        with pytest.raises(PowerCut):
            chat.say("Cuaca?")

        assert chat.say("Cuaca?") == "Cerah."

        assert texts_of_user(chat.messages) == ["Cuaca?"]
        assert_well_formed(chat.messages)


def answering(wish: AIMessage) -> Callable[[list[BaseMessage]], AIMessage]:
    """A model that asks for tools once, and answers when it has the results."""
    return lambda messages: AIMessage("Cerah.") if messages[-1].type == "tool" else wish
