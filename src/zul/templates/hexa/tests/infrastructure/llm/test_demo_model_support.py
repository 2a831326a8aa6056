"""Tools and a small loop for the tests of the demo model; no tests of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel

from src.infrastructure.AI.llm.demo import DemoChatModel

Calls = list[tuple[str, dict[str, Any]]]
REJECTED = "User rejected this action. It was not executed."
UNKNOWN = "The outcome of this action is unknown. It may or may not have taken effect."


@tool
def get_weather(location: str) -> str:
    """Get the current weather in a location."""
    return f"It is sunny in {location}."


@tool
def send_email(to: str, subject: str, body: str) -> str:
    """Send an email."""
    return f"Email sent to {to}: {subject} / {body}."


@tool
def convert_currency(amount: float, from_currency: str, to_currency: str) -> str:
    """Convert an amount of money."""
    return f"{amount} {from_currency} -> {to_currency}"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


@tool
def calculator(expression: str) -> str:
    """Evaluate an arithmetic expression."""
    return f"value of {expression}"


@tool
def search_docs(query: str) -> str:
    """Search the documentation."""
    return f"found {query}"


@tool
def create_ticket(title: str, priority: Literal["low", "medium", "high"]) -> str:
    """Create a support ticket."""
    return f"ticket {title} ({priority})"


@tool
def get_time(timezone: str = "UTC") -> str:
    """Get the current time."""
    return f"10:00 {timezone}"


@tool
def schedule_meeting(title: str, date: str, attendees: list[str], urgent: bool = False) -> str:
    """Schedule a meeting with attendees."""
    return f"{title} {date} {attendees} {urgent}"


@tool
def book_hotel(city: str, nights: int, guests: int = 1) -> str:
    """Book a hotel room in a city."""
    return f"{city} {nights} {guests}"


@tool
def search_flights(origin: str, destination: str, date: str) -> str:
    """Search flights between two cities."""
    return f"{origin} {destination} {date}"


class Address(BaseModel):
    street: str
    city: str


@tool
def ship_order(order_id: str, address: Address) -> str:
    """Ship an order to an address."""
    return f"{order_id} {address}"


@tool
def book_room(room: str, hour: int) -> str:
    """Book a meeting room for one hour."""
    return f"{room} is booked at {hour}:00."


@tool
def set_alarm(active: bool) -> str:
    """Turn the alarm on or off."""
    return str(active)


@tool
def total(numbers: list[float]) -> float:
    """Sum a list of numbers."""
    return sum(numbers)


@tool
def translate(text: str, target_language: Literal["english", "indonesian", "japanese"]) -> str:
    """Translate a text."""
    return f"{text} in {target_language}"


@tool
def save_note(text: str) -> str:
    """Save a note."""
    return text


@tool
def kirim_pesan(penerima: str, isi: str) -> str:
    """Kirim pesan ke seseorang."""
    return f"{penerima}: {isi}"


@tool
def cek_stok(nama_produk: str) -> str:
    """Cek stok sebuah produk di gudang."""
    return nama_produk


@tool
def get_order_status(order_id: str) -> str:
    """Get the status of an order."""
    return order_id


@tool
def weather_agent(query: str) -> str:
    """Looks up the current weather (cuaca) of a place."""
    return subagent(query, [get_weather])


@tool
def email_agent(query: str) -> str:
    """Writes and sends an e-mail (surel). Needs the address and what to say."""
    return subagent(query, [send_email])


OFFICE: list[BaseTool] = [
    get_weather,
    send_email,
    convert_currency,
    add,
    search_docs,
    create_ticket,
    get_time,
]
SUPERVISOR: list[BaseTool] = [weather_agent, email_agent]
EVERYTHING: list[BaseTool] = [
    *OFFICE,
    multiply,
    calculator,
    schedule_meeting,
    book_hotel,
    search_flights,
    ship_order,
    set_alarm,
    total,
    translate,
    save_note,
    kirim_pesan,
    cek_stok,
    get_order_status,
]
MAX_ROUNDS = 5


def ask(messages: Sequence[BaseMessage], tools: Sequence[BaseTool], **options: Any) -> AIMessage:
    """Let the model answer a history once."""
    return DemoChatModel().bind_tools(tools, **options).invoke(list(messages))


def calls_for(text: str, tools: Sequence[BaseTool]) -> Calls:
    """Return the calls that the first answer to a message asks for."""
    return [(call["name"], call["args"]) for call in ask([HumanMessage(text)], tools).tool_calls]


def subagent(query: str, tools: Sequence[BaseTool]) -> str:
    """Work on one task from an empty conversation, as the product's subagents do."""
    return Dialogue(tools).say(query).text


@dataclass
class Reply:
    """How one message of the user was answered."""

    text: str
    calls: Calls


@dataclass
class Dialogue:
    """Executes tools until the model answers with text."""

    tools: Sequence[BaseTool]
    messages: list[BaseMessage] = field(default_factory=list)

    def say(self, text: str, *, error: str = "", edit: Mapping[str, Any] | None = None) -> Reply:
        """Send a message; `error` answers every call, `edit` replaces arguments as people do."""
        self.messages.append(HumanMessage(text))
        calls: Calls = []
        for _ in range(MAX_ROUNDS):
            answer = ask(self.messages, self.tools)
            for call in answer.tool_calls:
                call["args"] = {**call["args"], **(edit or {})}
            self.messages.append(answer)
            if not answer.tool_calls:
                return Reply(answer.text, calls)
            calls += [(call["name"], call["args"]) for call in answer.tool_calls]
            self.messages += [self._result(call["id"], call, error) for call in answer.tool_calls]
        raise AssertionError("the model did not come to an answer")

    def _result(self, call_id: str | None, call: Mapping[str, Any], error: str) -> ToolMessage:
        if error:
            return ToolMessage(error, tool_call_id=call_id, status="error")
        chosen = next(tool for tool in self.tools if tool.name == call["name"])
        return ToolMessage(str(chosen.invoke(call["args"])), tool_call_id=call_id)
