"""Replies as the providers' LangChain packages make them of what the services send.

Recorded with langchain-anthropic 1.7, langchain-google-genai 4.4, langchain-ollama 1.1 and
langchain-openai 1.7 from one answer each: a little thinking, and an e-mail to write.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

Build = Callable[[Sequence[ToolCall]], AIMessage]

THINKING = {
    "type": "thinking",
    "thinking": "The user wants an email.",
    "signature": "EqQBCgIYAhIM",
}
REASONING = {
    "encrypted_content": "gAAAA",
    "id": "rs_1",
    "summary": [{"text": "Plan", "type": "summary_text"}],
    "type": "reasoning",
}
_SIGNATURES = "__gemini_function_call_thought_signatures__"
_ITEM_IDS = "__openai_function_call_ids__"


def _anthropic(calls: Sequence[ToolCall]) -> AIMessage:
    uses: list[dict[str, Any]] = [
        {
            "id": call["id"],
            "input": call["args"],
            "name": call["name"],
            "toolset_name": None,
            "type": "tool_use",
        }
        for call in calls
    ]
    return AIMessage(
        [THINKING, {"text": "Saya siapkan.", "type": "text"}, *uses],
        tool_calls=list(calls),
        response_metadata={"model_provider": "anthropic"},
    )


def _anthropic_streamed(calls: Sequence[ToolCall]) -> AIMessage:
    uses: list[dict[str, Any]] = [
        {
            "id": call["id"],
            "index": position,
            "input": {},
            "name": call["name"],
            "partial_json": json.dumps(call["args"]),
            "toolset_name": None,
            "type": "tool_use",
        }
        for position, call in enumerate(calls, start=2)
    ]
    return AIMessage(
        [{"index": 0, **THINKING}, {"index": 1, "text": "Saya siapkan.", "type": "text"}, *uses],
        tool_calls=list(calls),
        response_metadata={"model_provider": "anthropic", "stop_reason": "tool_use"},
    )


def _gemini(calls: Sequence[ToolCall]) -> AIMessage:
    last = {"arguments": json.dumps(calls[-1]["args"]), "name": calls[-1]["name"]}
    return AIMessage(
        [{"thinking": "Plan", "type": "thinking"}],
        tool_calls=list(calls),
        additional_kwargs={_SIGNATURES: {calls[0]["id"]: "c2lnLTE="}, "function_call": last},
        response_metadata={"model_name": "gemini-3-pro", "model_provider": "google_genai"},
    )


def _responses(calls: Sequence[ToolCall]) -> AIMessage:
    items = [
        {
            "arguments": json.dumps(call["args"]),
            "call_id": call["id"],
            "id": f"fc_{position}",
            "name": call["name"],
            "status": "completed",
            "type": "function_call",
        }
        for position, call in enumerate(calls)
    ]
    text = {"annotations": [], "id": "msg_1", "text": "Saya siapkan.", "type": "text"}
    return AIMessage(
        [REASONING, text, *items],
        id="resp_1",
        tool_calls=list(calls),
        response_metadata={"id": "resp_1", "model_provider": "openai"},
    )


def _responses_v0(calls: Sequence[ToolCall]) -> AIMessage:
    item_ids = {call["id"]: f"fc_{position}" for position, call in enumerate(calls)}
    return AIMessage(
        [{"annotations": [], "text": "Saya siapkan.", "type": "text"}],
        id="msg_1",
        tool_calls=list(calls),
        additional_kwargs={_ITEM_IDS: item_ids, "reasoning": REASONING},
        response_metadata={"id": "resp_1", "model_provider": "openai"},
    )


def _ollama(calls: Sequence[ToolCall]) -> AIMessage:
    return AIMessage(
        "",
        tool_calls=list(calls),
        additional_kwargs={"reasoning_content": "hmm"},
        response_metadata={"model": "llama3", "done": True, "model_provider": "ollama"},
    )


def _chat_completions(calls: Sequence[ToolCall]) -> AIMessage:
    raw = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in calls
    ]
    return AIMessage(
        "",
        tool_calls=list(calls),
        additional_kwargs={"tool_calls": raw, "refusal": None},
        response_metadata={"finish_reason": "tool_calls", "model_provider": "openai"},
    )


@dataclass(frozen=True)
class Shape:
    """A provider's form of a reply.

    Attributes:
        build: makes the reply that has these calls.
        own: takes what the provider needs back unchanged out of a message.
        keyed: where call ids are keys of a dictionary, its name in ``additional_kwargs``.
    """

    build: Build
    own: Callable[[AIMessage], Any]
    keyed: str | None = None


def _blocks(message: AIMessage) -> Any:
    kinds = {"thinking", "reasoning", "text"}
    return [b for b in message.content if isinstance(b, dict) and b["type"] in kinds]


SHAPES: dict[str, Shape] = {
    "anthropic": Shape(_anthropic, _blocks),
    "anthropic, streamed": Shape(_anthropic_streamed, _blocks),
    "gemini": Shape(_gemini, _blocks, _SIGNATURES),
    "openai responses": Shape(_responses, lambda m: [_blocks(m), m.id, _item_ids(m)]),
    "openai responses v0": Shape(
        _responses_v0, lambda m: [m.content, m.id, m.additional_kwargs["reasoning"]], _ITEM_IDS
    ),
    "ollama": Shape(_ollama, lambda m: m.additional_kwargs),
    "openai chat completions": Shape(_chat_completions, lambda m: m.content),
}


def _item_ids(message: AIMessage) -> list[str]:
    return [b["id"] for b in message.content if isinstance(b, dict) and "call_id" in b]
