"""What the model of these tests says: the user's message names a scene."""

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from typing_extensions import override

from src.infrastructure.AI.llm import get_llm_model
from tests.fakes.scripted_model import Messages, ScriptedChatModel

# Escapes, because nobody could review this file otherwise.
MARKUP = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
REVERSED = "safe\u202etxt.exe\u202c"
HIDDEN = "ze\u200bro \u0007 \u001b[2J \u00a0 end"
LOOKALIKE = "p\u0430ypal.example"
LONG = "begin " + "x" * 100_000 + " the-end"

FORMATTED = """# Rencana

Ini **singkat** dan pakai `get_weather`:

1. Satu
7. Tujuh
   - dalam, [klik](javascript:alert(1)) dan <b>tebal</b>

```python
**bukan** # tebal
    baris dua
```
2 ** 3 = 8"""

WORDS = [f"kata{number} " for number in range(1, 25)]
WORD_SECONDS = 0.12
SLOW_ANSWER = "".join(WORDS).strip()

Call = tuple[str, dict[str, Any]]


def email(to: str, body: str = "Rapat jam 10") -> Call:
    return "send_email", {"to": to, "subject": "Rapat", "body": body}


ROOM = {
    "room": "Anggrek",
    "people": 4,
    "price": 1.50,
    "catering": True,
    "guests": ["ana"],
    "note": "satu\ndua",
}

ROUNDS: dict[str, list[list[Call]]] = {
    "satu email": [[email("alice@example.com")]],
    "tiga email": [[email("a@x.co"), email("b@x.co"), email("c@x.co")]],
    "dua putaran": [[email("first@x.co")], [email("second@x.co")]],
    "padamkan": [[("cut_power", {"meter": "7"})]],
    "pesan ruang": [[("book_room", ROOM)]],
    "ruang salah": [
        [
            (
                "book_room",
                {"room": "Mawar", "people": "banyak", "price": 1.5, "guests": ["ana", 2]},
            )
        ]
    ],
    "bilangan besar": [[("book_room", {**ROOM, "people": 2**60 + 1})]],
    "spasi": [[email("alice@example.com", "Rapat jam 10 ")]],
    "nama panjang": [[("x" * 128, {"to": "alice@example.com"})]],
    "cuaca": [[("get_weather", {"location": "Ende"})]],
    "gagal": [[("explode", {})]],
    "jahat": [[("echo", {"text": MARKUP + REVERSED + HIDDEN})]],
    "nama jahat": [[(MARKUP, {}), ("echo", {MARKUP: "x"})]],
    "panjang": [[("echo", {"text": LONG})]],
    "email jahat": [
        [
            ("send_email", {"to": LOOKALIKE, "subject": REVERSED, "body": MARKUP + HIDDEN}),
            ("send_email", {"to": "a@x.co", "subject": "Panjang", "body": LONG}),
        ]
    ],
    "tugas": [[("office", {"query": "satu email"}), ("forecaster", {"query": "cuaca"})]],
    "dua kantor": [[("office", {"query": "surat ani"}), ("office", {"query": "surat budi"})]],
    "dua cabang": [[("east", {"query": "meja timur"}), ("west", {"query": "meja barat"})]],
    "meja timur": [[("desk", {"query": "cuaca timur"})]],
    "meja barat": [[("desk", {"query": "cuaca barat"})]],
    "cuaca timur": [[("get_weather", {"location": "Ende"})]],
    "cuaca barat": [[("get_weather", {"location": "Sabang"})]],
    "surat ani": [[email("ani@x.co")]],
    "surat budi": [[email("budi@x.co")]],
}
"""The calls of each scene, round by round; then the model sums up what came back."""


def reply_to(messages: Sequence[BaseMessage]) -> AIMessage:
    start = max(i for i, message in enumerate(messages) if isinstance(message, HumanMessage))
    scene = messages[start].text
    since = messages[start + 1 :]
    taken = sum(isinstance(message, AIMessage) for message in since)
    rounds = ROUNDS.get(scene, [])
    if taken < len(rounds):
        calls = [
            ToolCall(name=name, args=args, id=f"call_{len(messages)}_{place}", type="tool_call")
            for place, (name, args) in enumerate(rounds[taken])
        ]
        return AIMessage("", tool_calls=calls)
    answers = {"lambat": SLOW_ANSWER, "tulisan": FORMATTED}
    if scene in answers:
        return AIMessage(answers[scene])
    results = [m for m in since if isinstance(m, ToolMessage)]
    return AIMessage(_summary(results) if results else f"Kamu bilang: {scene}")


def _summary(results: Sequence[ToolMessage]) -> str:
    return "Hasil: " + json.dumps([m.text[:200] for m in results], ensure_ascii=False)


class PlayedModel(ScriptedChatModel):
    """Plays the scene that the user names; keeps nothing, so a restart changes nothing."""

    script: list[Any] = []  # noqa: RUF012  # a pydantic field

    @override
    def _next_reply(self, messages: Messages) -> AIMessage:
        if _scene_of(messages) == "macet":
            return get_llm_model().invoke(list(messages))
        return reply_to(messages)

    @override
    def _stream(
        self,
        messages: Messages,
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        slow = _scene_of(messages) == "lambat"
        for chunk in super()._stream(messages, stop, run_manager, **kwargs):
            if slow:
                time.sleep(WORD_SECONDS)
            yield chunk


def _scene_of(messages: Messages) -> str:
    return next(m.text for m in reversed(messages) if isinstance(m, HumanMessage))
