"""What the conversations of the tests are made of."""

import itertools
import threading
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool

APPROVE = {"type": "approve"}
REJECT = {"type": "reject"}


def call(name: str, call_id: str, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=call_id, type="tool_call")


def email_to(address: Any, call_id: str = "c1", **args: Any) -> ToolCall:
    return call("send_email", call_id, to=address, **args)


def weather_in(location: Any, call_id: str = "w1") -> ToolCall:
    return call("get_weather", call_id, location=location)


def asks_for(*calls: ToolCall, content: Any = "") -> AIMessage:
    """The model's wish to run tools."""
    return AIMessage(content=content, tool_calls=list(calls))


def edit_to(name: str, **args: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": name, "args": args}}


def on(thread_id: str, recursion_limit: int = 25) -> RunnableConfig:
    return RunnableConfig(configurable={"thread_id": thread_id}, recursion_limit=recursion_limit)


def says(text: str) -> dict[str, Any]:
    """The input of a graph: the user says something."""
    return {"messages": [HumanMessage(text)]}


class Office:
    """Tools that remember what they did, in the order in which they did it."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.looked_up: list[str] = []

    @property
    def get_weather(self) -> BaseTool:
        @tool
        def get_weather(location: str) -> str:
            """Get the weather of a city."""
            self.looked_up.append(location)
            return f"Sunny in {location}"

        return get_weather

    @property
    def send_email(self) -> BaseTool:
        @tool
        def send_email(to: str, subject: str = "", cc: str | None = None) -> str:
            """Send an email."""
            self.sent.append(to)
            return f"Sent to {to}"

        return send_email

    @property
    def tools(self) -> list[BaseTool]:
        return [self.get_weather, self.send_email]


class AllAtOnce:
    """Runs functions in threads that start together, and keeps what each gave or raised."""

    def __init__(self, *functions: Any) -> None:
        self.outcomes: list[Any] = [None] * len(functions)
        barrier = threading.Barrier(len(functions))

        def run(place: int, function: Any) -> None:
            barrier.wait(timeout=10)
            try:
                self.outcomes[place] = function()
            except BaseException as error:  # noqa: BLE001 - the test looks at it
                self.outcomes[place] = error

        threads = [
            threading.Thread(target=run, args=(place, function))
            for place, function in enumerate(functions)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)


def results_of(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage)]


def texts_of_user(messages: Sequence[BaseMessage]) -> list[str]:
    return [message.text for message in messages if isinstance(message, HumanMessage)]


def assert_well_formed(messages: Sequence[BaseMessage]) -> None:
    """A history that every provider accepts: each call is followed at once by its one result."""
    assert all(message.type in {"human", "ai", "tool"} for message in messages)
    position = 0
    while position < len(messages):
        message = messages[position]
        assert not isinstance(message, ToolMessage), f"a result without a call: {message!r}"
        asked = [c["id"] for c in message.tool_calls] if isinstance(message, AIMessage) else []
        answers = messages[position + 1 : position + 1 + len(asked)]
        assert [getattr(answer, "tool_call_id", None) for answer in answers] == asked
        assert asked or message.text, f"an empty message: {message!r}"
        position += 1 + len(asked)
    kinds = [message.type for message in messages]
    assert ("human", "human") not in set(itertools.pairwise(kinds))
    assert kinds[-1] == "ai"
