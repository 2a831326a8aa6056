"""Tools that can only be awaited, as those of MCP servers, behind the synchronous endpoints."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import interrupt

from src.application.actions import current_action_key
from src.application.background_loop import BackgroundLoop
from tests.application.scenario import (
    APPROVE,
    AllAtOnce,
    asks_for,
    call,
    email_to,
    results_of,
)
from tests.replies.conftest import MakeService
from tests.replies.service import Service


def awaited(work: Callable[..., Coroutine[Any, Any, Any]], name: str = "wait") -> BaseTool:
    return StructuredTool.from_function(coroutine=work, name=name, description="Waits.")


async def echo(text: str) -> str:
    await asyncio.sleep(0)
    return f"echo {text}"


def test_an_async_only_tool_runs_at_every_endpoint(serve: MakeService, path: str) -> None:
    service = serve(
        path, asks_for(call("wait", "a1", text="x")), "Ok.", tools=[awaited(echo)], gated=[]
    )

    assert service.answer("?") == "Ok."
    assert results_of(service.last_input)[-1].text == "echo x"


def test_an_approved_async_only_tool_can_read_its_key(serve: MakeService) -> None:
    keys: list[str | None] = []

    async def note(to: str) -> str:
        await asyncio.sleep(0)
        keys.append(current_action_key())
        return to

    tools = [awaited(note, "send_email")]
    service = serve("/hitl/chat", asks_for(email_to("alice")), "Ok.", tools=tools)
    service.say("?")

    assert service.decide(APPROVE).json()["answer"] == "Ok."
    assert keys == [keys[0]]
    assert keys[0] is not None


def test_an_interrupt_inside_an_async_only_tool_pauses_the_conversation(
    serve: MakeService,
) -> None:
    async def confirm(text: str) -> str:
        await asyncio.sleep(0)
        question = {"name": "wait", "args": {"text": text}, "description": "?"}
        answer = interrupt(
            {
                "action_requests": [question],
                "review_configs": [{"action_name": "wait", "allowed_decisions": ["approve"]}],
            }
        )
        return f"decided {answer['decisions'][0]['type']}"

    calls = asks_for(call("wait", "a1", text="x"))
    service = serve("/hitl/chat", calls, "Ok.", tools=[awaited(confirm)], gated=[])

    assert service.say("?").json()["pending_review"]["action_requests"][0]["args"] == {"text": "x"}
    assert service.decide(APPROVE).json()["answer"] == "Ok."
    assert results_of(service.last_input)[-1].text == "decided approve"


def test_an_async_only_tool_that_raises_is_a_tool_that_raised(
    serve: MakeService, path: str
) -> None:
    async def fail(text: str) -> str:
        await asyncio.sleep(0)
        raise ValueError(text)

    service = serve(
        path, asks_for(call("wait", "a1", text="x")), "Ok.", tools=[awaited(fail)], gated=[]
    )

    response = service.say("?")
    assert (response.status_code, response.json()["code"]) == (500, "tool_failed")
    assert service.answer("Lagi") == "Ok."


def test_wrong_arguments_of_an_async_only_tool_come_back_to_the_model(
    serve: MakeService, path: str
) -> None:
    service = serve(path, asks_for(call("wait", "a1")), "Ok.", tools=[awaited(echo)], gated=[])

    assert service.answer("?") == "Ok."
    assert results_of(service.last_input)[-1].status == "error"


def test_a_slow_tool_blocks_nobody_else(serve: MakeService) -> None:
    started = threading.Event()
    release = threading.Event()

    async def slow(text: str) -> str:
        started.set()
        await asyncio.to_thread(release.wait, 20)
        return text

    tools = [awaited(slow, "slow"), awaited(echo)]

    def reply(messages: list[Any]) -> Any:
        if messages[-1].type == "tool":
            return "Ok."
        return asks_for(call(messages[-1].text, "a1", text="x"))

    service: Service = serve("/chat", *[reply] * 44, tools=tools)
    waiting = AllAtOnce(lambda: _in_background(service, started))
    quick = [service.say("wait", f"quick{n}").json()["answer"] for n in range(20)]
    release.set()
    waiting.outcomes[0].join(timeout=20)

    assert quick == ["Ok."] * 20


def _in_background(service: Service, started: threading.Event) -> threading.Thread:
    thread = threading.Thread(target=lambda: service.say("slow", "slow"))
    thread.start()
    assert started.wait(timeout=10)
    return thread


def test_async_only_tools_of_one_reply_wait_at_the_same_time(serve: MakeService) -> None:
    all_are_here = asyncio.Barrier(5)

    async def wait_for_the_others(text: str) -> str:
        async with asyncio.timeout(20):
            await all_are_here.wait()
        return text

    calls = asks_for(*[call("wait", f"a{n}", text=str(n)) for n in range(5)])
    service = serve("/chat", calls, "Ok.", tools=[awaited(wait_for_the_others)])

    assert service.answer("?") == "Ok."
    assert [r.text for r in results_of(service.last_input)] == list("01234")


def test_all_async_only_tools_share_one_loop(serve: MakeService) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def note(text: str) -> str:
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return text

    calls = asks_for(call("wait", "a1", text="x"), call("wait", "a2", text="y"))
    service = serve("/chat", calls, "Ok.", tools=[awaited(note)])
    service.answer("?")

    assert loops[0] is loops[1]


def test_work_on_the_loop_that_waits_for_more_such_work_does_not_wait_for_ever() -> None:
    loop = BackgroundLoop("test")

    async def outer() -> str:
        await asyncio.sleep(0)
        return loop.run(echo("x"))

    assert loop.run(outer()) == "echo x"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_worker_starts_a_loop_of_its_own() -> None:
    loop = BackgroundLoop("test")
    assert loop.run(echo("parent")) == "echo parent"

    if (child := os.fork()) == 0:
        signal.alarm(10)
        os._exit(loop.run(echo("child")) != "echo child")

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert loop.run(echo("parent")) == "echo parent"
