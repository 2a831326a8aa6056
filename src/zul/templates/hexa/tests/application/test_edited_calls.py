"""An edit replaces the call wherever the model's message repeats it, and touches nothing else."""

import copy
import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from src.application.AI.agents.edited_calls import replace_tool_calls
from tests.application.scenario import asks_for, email_to

OLD = {"to": "alice@example.com"}
NEW = {"to": "budi@example.com", "subject": "Kopi ☕ jam 10"}
EDITED = {"c1": email_to("budi@example.com", "c1", subject="Kopi ☕ jam 10")}

THINKING = {"type": "thinking", "thinking": "alice@example.com?", "signature": "c2lnbmF0dXJl"}
REASONING = {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAA", "summary": []}


def edited(message: AIMessage) -> AIMessage:
    before = copy.deepcopy(message)

    after = replace_tool_calls(message, EDITED)

    assert message == before
    assert after.id == before.id
    assert after.tool_calls[0] == EDITED["c1"]
    assert after.tool_calls[1:] == before.tool_calls[1:]
    return after


def message_with(content: Any = "", **kwargs: Any) -> AIMessage:
    message = asks_for(email_to(OLD["to"], "c1"), email_to("citra@example.com", "c2"))
    return message.model_copy(update={"content": content, "id": "m1", "additional_kwargs": kwargs})


def test_openai_chat_completions_repeat_the_call_in_the_kwargs() -> None:
    def kwarg(call_id: str, args: dict[str, Any]) -> dict[str, Any]:
        function = {"name": "send_email", "arguments": json.dumps(args, ensure_ascii=False)}
        return {"id": call_id, "type": "function", "function": function}

    other = kwarg("c2", {"to": "citra@example.com"})

    after = edited(message_with(tool_calls=[kwarg("c1", OLD), other], refusal=None))

    assert after.additional_kwargs == {"tool_calls": [kwarg("c1", NEW), other], "refusal": None}


def test_anthropic_repeats_the_call_in_a_content_block() -> None:
    def block(call_id: str, args: dict[str, Any]) -> dict[str, Any]:
        return {"type": "tool_use", "id": call_id, "name": "send_email", "input": args}

    text = {"type": "text", "text": "Saya kirim ke alice@example.com."}
    other = block("c2", {"to": "citra@example.com"})

    after = edited(message_with([THINKING, text, block("c1", OLD), other]))

    assert after.content == [THINKING, text, block("c1", NEW), other]


def test_b71_a_thinking_block_stays_first_and_the_same_to_the_byte() -> None:
    before = message_with([THINKING, {"type": "tool_use", "id": "c1", "name": "x", "input": OLD}])

    after = edited(before)

    assert json.dumps(after.content[0]) == json.dumps(THINKING)


def test_an_anthropic_block_that_was_streamed_keeps_its_arguments_as_json_too() -> None:
    block = {
        "type": "tool_use",
        "id": "c1",
        "name": "send_email",
        "input": {},
        "partial_json": json.dumps(OLD),
        "index": 1,
    }

    after: Any = edited(message_with([block])).content[0]

    assert json.loads(after["partial_json"]) == NEW
    assert after["input"] == NEW
    assert after["index"] == 1


def test_openai_responses_repeat_the_call_under_its_call_id() -> None:
    def block(args: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c1",
            "name": "send_email",
            "arguments": json.dumps(args, ensure_ascii=False),
            "status": "completed",
        }

    after = edited(message_with([REASONING, block(OLD)]))

    assert after.content == [REASONING, block(NEW)]


def test_langchain_blocks_repeat_the_call_as_args() -> None:
    def block(args: dict[str, Any]) -> dict[str, Any]:
        return {"type": "tool_call", "id": "c1", "name": "send_email", "args": args}

    after = edited(message_with([block(OLD)]))

    assert after.content == [block(NEW)]


def test_gemini_repeats_a_single_call_without_an_id() -> None:
    signature = {"c1": "c2lnbmF0dXJl"}
    function_call = {"name": "send_email", "arguments": json.dumps(OLD)}

    after = edited(
        message_with(
            function_call=function_call, __gemini_function_call_thought_signatures__=signature
        )
    )

    assert after.additional_kwargs["function_call"]["name"] == "send_email"
    assert json.loads(after.additional_kwargs["function_call"]["arguments"]) == NEW
    assert after.additional_kwargs["__gemini_function_call_thought_signatures__"] == signature


@pytest.mark.parametrize(
    "untouched",
    [
        {"name": "send_email", "arguments": '{"to": "citra@example.com"}'},
        {"name": "get_weather", "arguments": '{"location": "Medan"}'},
    ],
    ids=["the last of two calls of the same tool", "a call of another tool"],
)
def test_gemini_repeats_only_one_of_several_calls(untouched: dict[str, str]) -> None:
    after = edited(message_with(function_call=dict(untouched)))

    assert after.additional_kwargs["function_call"] == untouched


def test_another_tool_is_named_everywhere() -> None:
    message = message_with(
        [{"type": "tool_use", "id": "c1", "name": "send_email", "input": OLD}],
        tool_calls=[{"id": "c1", "function": {"name": "send_email", "arguments": json.dumps(OLD)}}],
        function_call={"name": "send_email", "arguments": json.dumps(OLD)},
    )
    note = {"name": "write_note", "args": {"text": "Rapat"}, "id": "c1", "type": "tool_call"}

    after = replace_tool_calls(message, {"c1": note})  # type: ignore[dict-item]

    assert "alice" not in repr(after)
    assert repr(after).count("write_note") == 4


def test_text_and_metadata_stay_as_they_are() -> None:
    before = message_with("Saya kirim.").model_copy(
        update={"response_metadata": {"model_name": "gpt"}, "name": "assistant"}
    )

    after = edited(before)

    assert after.content == "Saya kirim."
    assert after.response_metadata == {"model_name": "gpt"}
    assert after.name == "assistant"


def test_a_plain_text_inside_a_list_of_blocks_is_no_call() -> None:
    assert edited(message_with(["c1", {"type": "text", "text": "c1"}])).content == [
        "c1",
        {"type": "text", "text": "c1"},
    ]


def test_a_block_whose_id_is_no_text_is_no_call() -> None:
    strange = {"type": "citation", "id": ["c1"], "call_id": {"of": "c1"}}

    assert edited(message_with([strange])).content == [strange]


def test_without_an_edit_the_message_is_the_same_object() -> None:
    message = message_with()

    assert replace_tool_calls(message, {}) is message
