"""The names that a generated project promises, where it promises them, with their parameters."""

import importlib
import inspect

import pytest

AGENTS = "src.application.AI.agents"
HITL_NODES = f"{AGENTS}.human_in_the_loop.nodes.human_in_the_loop_nodes"
CONTROLLERS = "src.interface.http.controllers"

PROMISED = {
    "src.domain.entities.agents.react.react": ["AgentState"],
    "src.domain.exceptions": [
        "DomainError",
        "EmptyMessageError",
        "NoPendingReviewError",
        "ReviewPendingError",
        "StaleReviewError",
        "InvalidReviewDecisionError",
    ],
    f"{AGENTS}.react.react": ["build_react_agent"],
    f"{AGENTS}.react.nodes.react_nodes": [
        "make_llm_call",
        "should_continue",
        "STEPS_PER_TOOL_ROUND",
        "STEP_LIMIT_MESSAGE",
    ],
    f"{AGENTS}.human_in_the_loop.human_in_the_loop": ["build_human_in_the_loop_agent"],
    HITL_NODES: [
        "build_review_request",
        "make_human_review",
        "make_tool_node",
        "unanswered_tool_calls",
        "ALLOWED_DECISIONS",
        "REJECTED_BY_USER_MESSAGE",
        "APPROVE",
        "NO_DECISION",
    ],
    f"{AGENTS}.subagents.subagents": [
        "SubagentSpec",
        "build_subagent_tool",
        "build_supervisor_agent",
        "MAX_SUBAGENT_STEPS",
    ],
    "src.application.usecases.chat": ["ChatUseCase", "MAX_AGENT_STEPS", "ChatAgent"],
    "src.application.usecases.reviewed_chat": [
        "ReviewedChatUseCase",
        "ChatTurn",
        "validate_decisions",
    ],
    "src.infrastructure.AI.llm": ["get_llm_model"],
    "src.infrastructure.AI.memory.checkpointer": ["get_checkpointer"],
    "src.infrastructure.AI.tools.weather_tool": ["get_weather"],
    "src.infrastructure.AI.tools.email_tool": ["send_email"],
    "src.interface.http.main": ["app"],
    f"{CONTROLLERS}.chat_controller": ["get_react_agent", "get_chat_usecase"],
    f"{CONTROLLERS}.hitl_controller": [
        "get_human_in_the_loop_agent",
        "get_reviewed_chat_usecase",
        "TOOLS",
        "TOOLS_REQUIRING_APPROVAL",
    ],
    f"{CONTROLLERS}.subagents_controller": [
        "get_supervisor_agent",
        "get_subagents_chat_usecase",
        "SUBAGENTS",
    ],
    "src.interface.playground.features": ["Feature", "FEATURES", "find_feature"],
}

SIGNATURES = {
    f"{AGENTS}.react.react.build_react_agent": "llm tools system_prompt= checkpointer=",
    f"{AGENTS}.human_in_the_loop.human_in_the_loop.build_human_in_the_loop_agent": (
        "llm tools tools_requiring_approval checkpointer system_prompt="
    ),
    f"{AGENTS}.subagents.subagents.build_supervisor_agent": (
        "llm subagents system_prompt= checkpointer="
    ),
    f"{AGENTS}.subagents.subagents.SubagentSpec": "name description system_prompt tools llm=",
    f"{HITL_NODES}.build_review_request": "tool_calls",
    "src.application.usecases.chat.ChatUseCase": "agent max_agent_steps=",
    "src.application.usecases.chat.ChatUseCase.execute": "self message thread_id",
    "src.application.usecases.reviewed_chat.ReviewedChatUseCase": "agent",
    "src.application.usecases.reviewed_chat.ReviewedChatUseCase.send_message": (
        "self message thread_id"
    ),
    "src.application.usecases.reviewed_chat.ReviewedChatUseCase.submit_review": (
        "self decisions thread_id"
    ),
    "src.application.usecases.reviewed_chat.validate_decisions": "decisions pending_review",
    "src.application.usecases.reviewed_chat.ChatTurn": "answer= pending_review=",
    "src.application.usecases.chat.ChatAgent.invoke": "self input config=",
    "src.interface.playground.features.Feature": "name description build_agent examples=",
    "src.interface.playground.features.find_feature": "name",
    "src.infrastructure.AI.llm.get_llm_model": "",
    "src.infrastructure.AI.memory.checkpointer.get_checkpointer": "",
}


def promised(path: str) -> object:
    """Find a name, however many of the last parts of its path are no modules."""
    module_path, _, name = path.rpartition(".")
    try:
        owner: object = importlib.import_module(module_path)
    except ModuleNotFoundError:
        owner = promised(module_path)
    return getattr(owner, name)


def parameters(function: object) -> list[str]:
    assert callable(function)
    return [
        parameter.name + ("=" if parameter.default is not inspect.Parameter.empty else "")
        for parameter in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize(("module", "names"), PROMISED.items())
def test_names_are_where_they_were_promised(module: str, names: list[str]) -> None:
    there = importlib.import_module(module)

    assert [name for name in names if not hasattr(there, name)] == []


@pytest.mark.parametrize(("path", "wanted"), SIGNATURES.items())
def test_callables_work_with_the_promised_parameters_alone(path: str, wanted: str) -> None:
    given = parameters(promised(path))

    expected = wanted.split()
    assert given[: len(expected)] == expected
    assert all(further.endswith("=") for further in given[len(expected) :])


def test_every_conversation_starts_in_a_store_of_its_own() -> None:
    get_checkpointer = promised("src.infrastructure.AI.memory.checkpointer.get_checkpointer")

    assert callable(get_checkpointer)
    assert get_checkpointer() is not get_checkpointer()
