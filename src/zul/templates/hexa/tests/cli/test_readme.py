"""What the README tells its reader to type works as it is printed."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from langchain_core.tools import BaseTool

from src.application.AI.agents.approval import ToolsRequiringApproval
from src.infrastructure.settings import Settings
from src.interface.http.controllers import hitl_controller
from src.interface.http.main import create_app
from tests.application.scenario import on, results_of

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CURL = ["curl", "-s", "-H", "Content-Type: application/json", "-d"]


@pytest.fixture
def tool_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> BaseTool:
    """Do what the reader is told to do: add the tool, and name it in the two lists."""
    names: dict[str, Any] = {
        **{tool.name: tool for tool in hitl_controller.TOOLS},
        "BaseTool": BaseTool,
        "ToolsRequiringApproval": ToolsRequiringApproval,
    }
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(block, names)  # noqa: S102 - it is ours, and this is the test of it
    for name in ("TOOLS", "TOOLS_REQUIRING_APPROVAL"):
        monkeypatch.setattr(hitl_controller, name, names[name])
    tool = names["book_room"]
    assert isinstance(tool, BaseTool)
    return tool


def test_the_tool_of_the_readme_is_a_tool(tool_of_the_readme: BaseTool) -> None:
    assert tool_of_the_readme.invoke({"room": "A", "hour": 9}) == "A is booked at 9:00."
    assert {"send_email", "book_room"} == hitl_controller.TOOLS_REQUIRING_APPROVAL
    controller = Path(hitl_controller.__file__).read_text(encoding="utf-8")
    for line in re.findall(r"^(TOOLS.*?: .*?) =", README, re.MULTILINE):
        assert f"\n{line} = " in controller, "the line is to be edited, not to be added"


@pytest.mark.usefixtures("tool_of_the_readme")
def test_the_curl_lines_work_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "demo")
    with TestClient(create_app(Settings())) as client:
        turns = [_sent(client, line) for line in re.findall(r"^curl .*$", README, re.MULTILINE)]

        weather, *reviewed, booking = turns
        assert "Jakarta" in weather["answer"]
        assert [turn["answer"] is None for turn in reviewed] == [True, False] * 4
        *sent, rejected = [_outcome(turn["thread_id"]) for turn in reviewed[1::2]]
        assert sent == [
            "Email sent to alice@example.com with subject 'Meeting at 10'.",
            "Email sent to alice@example.com with subject 'Lunch at 12'.",
            "Email sent to bob@example.com with subject 'Lunch'.",
        ]
        assert rejected.endswith("Not this week.")
        (action,) = booking["pending_review"]["action_requests"]
        assert (action["name"], action["args"]) == ("book_room", {"room": "Blue", "hour": 10})


def _sent(client: TestClient, line: str) -> dict[str, Any]:
    words = shlex.split(line)
    address, body = words.pop(2), words.pop()
    assert words == CURL
    response = client.post(address.removeprefix("http://127.0.0.1:8000"), json=json.loads(body))
    assert response.status_code == 200, response.text
    turn: dict[str, Any] = response.json()
    return turn


def _outcome(thread_id: str) -> str:
    state = hitl_controller.get_human_in_the_loop_agent().get_state(on(thread_id))
    return results_of(state.values["messages"])[-1].text
