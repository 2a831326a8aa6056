"""How the service is put together: late, once, and from parts that can be exchanged."""

import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from functools import lru_cache, wraps
from typing import Any

import anyio
import pytest
from anyio import to_thread
from fastapi import FastAPI
from fastapi.testclient import TestClient
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.react.react import build_react_agent
from src.application.usecases.chat import ChatUseCase
from src.interface.http.building import Provided, build_once
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)
from src.interface.http.routing import OneHandoverRoute
from src.interface.playground.features import FEATURES
from tests.application.scenario import AllAtOnce, Office, asks_for, texts_of_user, weather_in
from tests.fakes.scripted_model import ScriptedChatModel
from tests.http.service import AGENTS, CHATS, CONTROLLERS, Service, forget_what_was_built


class Counting:
    """Counts how often something is made, and takes its time."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self._guard = threading.Lock()

    def slowly(self, name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **kwargs: Any) -> Any:
            with self._guard:
                self.made[name] += 1
            time.sleep(0.02)
            return make(*args, **kwargs)

        return made


@pytest.mark.parametrize("path", CHATS)
def test_b104_twenty_first_requests_build_one_of_each_and_lose_nothing(
    service: Service, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    controller = CONTROLLERS[CHATS.index(path)]
    for name in ("get_llm_model", "get_checkpointer"):
        make = getattr(controller, name)
        monkeypatch.setattr(controller, name, counting.slowly(name, make))
    service.model_says(*["Halo."] * 20)
    threads = [f"t{n}" for n in range(20)]

    first = AllAtOnce(*[lambda t=t: service.chat(f"Hai {t}", t, path) for t in threads]).outcomes

    assert [response.status_code for response in first] == [200] * 20
    assert counting.made == {"get_llm_model": 1, "get_checkpointer": 1}
    for thread_id in threads:
        assert texts_of_user(service.messages(path, thread_id)) == [f"Hai {thread_id}"]


def test_nothing_is_built_before_it_is_asked_for(
    memory_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    for controller in CONTROLLERS:
        make = controller.get_llm_model
        monkeypatch.setattr(controller, "get_llm_model", counting.slowly(controller.SCOPE, make))
    memory_service.model_says("Halo.")

    memory_service.client.get("/health")
    before = dict(counting.made)
    memory_service.chat("Hai")

    assert before == {}
    assert counting.made == {"chat": 1}


def test_a_builder_is_built_again_only_after_it_was_cleared() -> None:
    numbers = iter(range(10))

    @build_once
    @lru_cache
    def get_number() -> int:
        """Return a number."""
        return next(numbers)

    assert [get_number(), get_number()] == [0, 0]
    get_number.cache_clear()
    assert get_number() == 1
    assert getattr(get_number, "__name__", None) == "get_number"


def test_a_builder_that_failed_is_tried_again() -> None:
    answers = [ValueError("no key"), "agent"]

    @build_once
    @lru_cache
    def get_agent() -> str:
        """Return an agent."""
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    with pytest.raises(ValueError, match="no key"):
        get_agent()
    assert get_agent() == "agent"


def test_what_is_built_is_provided_without_a_worker_thread() -> None:
    builders: list[int] = []

    @build_once
    @lru_cache
    def get_agent() -> object:
        """Return an agent."""
        builders.append(threading.get_ident())
        return object()

    async def ask_when_every_thread_is_busy() -> tuple[object, object]:
        provided = Provided(get_agent)
        first = await provided()
        to_thread.current_default_thread_limiter().total_tokens = 0
        with anyio.fail_after(5):
            return first, await provided()

    first, again = anyio.run(ask_when_every_thread_is_busy)

    assert first is again
    assert len(builders) == 1
    assert builders != [threading.get_ident()], "building may take long and must not hold the loop"


@pytest.mark.parametrize("path", CHATS)
def test_a_request_is_handed_over_to_a_worker_thread_once(
    memory_service: Service, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = f"{path.removesuffix('/chat') or path}/threads/t"
    memory_service.model_says("Halo.", "Halo.")
    memory_service.chat("Hai", path=path)
    memory_service.client.get(thread)
    handed_over: list[Any] = []
    hand_over = to_thread.run_sync

    async def counted(work: Any, *args: Any, **kwargs: Any) -> Any:
        handed_over.append(work)
        return await hand_over(work, *args, **kwargs)

    monkeypatch.setattr(to_thread, "run_sync", counted)

    answered = memory_service.chat("Hai", path=path)
    by_the_turn = len(handed_over)
    read = memory_service.client.get(thread)

    assert [answered.status_code, read.status_code] == [200, 200]
    assert [by_the_turn, len(handed_over) - by_the_turn] == [1, 1]


def test_an_owners_endpoint_of_any_kind_keeps_its_kind() -> None:
    app = FastAPI()
    app.router.route_class = OneHandoverRoute

    async def awaited() -> list[int]:
        return [1, 2]

    @wraps(awaited)
    def decorated() -> Any:
        return awaited()

    @app.get("/iterated")
    def iterated() -> Iterator[int]:
        yield from (1, 2)

    @app.get("/iterated-later")
    async def iterated_later() -> AsyncIterator[int]:
        yield 1
        yield 2

    app.get("/awaited")(awaited)
    app.get("/decorated")(decorated)
    with TestClient(app) as client:
        answers = {
            path: client.get(path).text
            for path in ("/awaited", "/decorated", "/iterated", "/iterated-later")
        }

    assert answers == {
        "/awaited": "[1,2]",
        "/decorated": "[1,2]",
        "/iterated": "1\n2\n",
        "/iterated-later": "1\n2\n",
    }


@pytest.mark.parametrize(
    "get_agent",
    [
        chat_controller.get_react_agent,
        hitl_controller.get_human_in_the_loop_agent,
        subagents_controller.get_supervisor_agent,
    ],
)
def test_an_agent_can_be_built_from_the_lists_of_its_controller(
    get_agent: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is no tool, or a tool that no model can be told of, is found here."""
    monkeypatch.setenv("LLM_MODEL", "demo")
    monkeypatch.delenv("DATABASE_URL", raising=False)
    forget_what_was_built()
    try:
        assert get_agent().checkpointer
    finally:
        forget_what_was_built()


def test_an_owners_use_case_is_served_instead(memory_service: Service) -> None:
    office = Office()
    model = ScriptedChatModel(script=[asks_for(weather_in("Medan")), "Hujan di Medan."])
    usecase = ChatUseCase(build_react_agent(model, office.tools, checkpointer=InMemorySaver()))
    overrides = memory_service.app.dependency_overrides
    overrides[chat_controller.get_chat_usecase] = lambda: usecase

    response = memory_service.chat("Medan?")

    assert response.json() == {"answer": "Hujan di Medan.", "thread_id": "t"}
    assert office.looked_up == ["Medan"]


def test_a_change_to_the_list_of_tools_before_the_first_request_takes_effect(
    memory_service: Service,
) -> None:
    memory_service.model_says("Halo.", "Halo.", "Halo.")
    chat_controller.TOOLS.remove(chat_controller.TOOLS[1])
    hitl_controller.TOOLS.append(
        memory_service.office.send_email.model_copy(update={"name": "fax"})
    )

    memory_service.chat("Hai")
    chat_tools = memory_service.model.bound_tool_names
    memory_service.chat("Hai", path="/hitl/chat")
    hitl_tools = memory_service.model.bound_tool_names

    assert chat_tools == ["get_weather"]
    assert hitl_tools == ["get_weather", "send_email", "fax"]


def test_the_use_cases_share_the_agents_with_the_playground() -> None:
    assert [feature.build_agent for feature in FEATURES] == [
        chat_controller.get_react_agent,
        hitl_controller.get_human_in_the_loop_agent,
        subagents_controller.get_supervisor_agent,
    ]


def test_every_agent_is_built_once(memory_service: Service) -> None:
    for build in AGENTS.values():
        assert build() is build()


def test_the_examples_of_the_documents_are_there() -> None:
    assert "get_weather" in {tool.name for tool in chat_controller.TOOLS}
    assert {tool.name for tool in hitl_controller.TOOLS} >= {"get_weather", "send_email"}
    assert "send_email" in hitl_controller.TOOLS_REQUIRING_APPROVAL
    assert {spec.name for spec in subagents_controller.SUBAGENTS} >= {
        "weather_agent",
        "email_agent",
    }
