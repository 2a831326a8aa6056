import logging

import pytest

from src.application.actions import carrying_out
from src.infrastructure.AI.tools import email_tool, weather_tool
from src.infrastructure.AI.tools.email_tool import send_email
from src.infrastructure.AI.tools.weather_tool import get_weather

_EMAIL = {"to": "alice@example.com", "subject": "Rapat", "body": "Rahasia besar"}


@pytest.mark.parametrize("place", ["Jakarta", " jakarta ", "JAKARTA", "Jakarta, Indonesia"])
def test_weather_of_a_known_city(place: str) -> None:
    assert get_weather.invoke({"location": place}).endswith(": 32°C, cloudy (demonstration data).")


def test_two_word_cities_and_other_names() -> None:
    assert "18°C" in get_weather.invoke({"location": "New  York"})
    assert "30°C" in get_weather.invoke({"location": "Bali"})


@pytest.mark.parametrize("place", ["Atlantis", "", "   ", ","])
def test_weather_of_an_unknown_place_is_not_invented(place: str) -> None:
    answer = get_weather.invoke({"location": place})
    assert answer.startswith("No weather data for ")
    assert "°C" not in answer


def test_email_confirms_recipient_and_subject() -> None:
    answer = send_email.invoke(_EMAIL)
    assert "alice@example.com" in answer
    assert "Rapat" in answer


def test_email_body_stays_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with carrying_out("key-1"):
        send_email.invoke(_EMAIL)
    assert "alice@example.com" in caplog.text
    assert "key-1" in caplog.text
    assert "Rahasia" not in caplog.text


def test_a_line_break_cannot_forge_a_log_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    send_email.invoke({"to": "a@b.c\nERROR forged", "subject": "x\nERROR forged", "body": ""})
    assert "\nERROR" not in caplog.text


@pytest.mark.parametrize("tool", [get_weather, send_email])
def test_the_model_reads_what_tool_and_arguments_are_for(tool: object) -> None:
    assert tool.description  # type: ignore[attr-defined]


def test_each_module_lists_its_tools() -> None:
    assert [tool.name for tool in weather_tool.tools + email_tool.tools] == [
        "get_weather",
        "send_email",
    ]
