"""Puts tool results into words: what came back, what failed, what a person rejected or changed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from src.infrastructure.AI.llm.demo.conversation import MadeCall
from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.planning import PlannedCall
from src.infrastructure.AI.llm.demo.roles import role_of, takes_a_task
from src.infrastructure.AI.llm.demo.schema import Tool

Outcome = Literal["done", "failed", "refused", "unknown", "open"]

_MACHINE_ERROR = re.compile(
    r"^\s*(?:error|fail|gagal|traceback|exception)|error\(|exception\b|error:"
    r"|not a valid tool|please fix|field required|validation error|timed? ?out",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\bmay or may not have\b|\bmungkin sudah (?:berjalan|terjadi|terkirim)\b"
    r"|\b(?:outcome|result|whether|status|hasil\w*|apakah)\b[^.\n]{0,80}"
    r"\b(?:unknown|not known|uncertain|unclear|tidak diketahui|belum diketahui|tidak pasti)\b"
    r"|\b(?:unknown|not known|uncertain|unclear|tidak diketahui|belum diketahui)\b[^.\n]{0,40}"
    r"\b(?:whether|outcome|apakah)\b",
    re.IGNORECASE,
)
_LONG_ROLES = frozenset({"title", "content", "query"})
_MAX_SHOWN_VALUES = 3
_MAX_SHOWN_VALUE = 60
_OWN_FRAME = re.compile(
    r"^(?:Hasil|Result of) `[^`\n]{1,80}`(?: \([^()\n]{0,200}\))?: ", re.MULTILINE
)

_LINES: Mapping[Language, Mapping[Outcome, str]] = {
    "id": {
        "done": "Hasil {call}: {text}",
        "failed": "{call} gagal: {text}",
        "refused": "{call} tidak dijalankan. Alasannya: “{text}”",
        "unknown": "Belum diketahui apakah {call} berjalan; tidak saya ulangi. Catatan: {text}",
        "open": "Belum ada hasil dari {call}.",
    },
    "en": {
        "done": "Result of {call}: {text}",
        "failed": "{call} failed: {text}",
        "refused": "{call} was not done. The reason given: “{text}”",
        "unknown": "It is unknown whether {call} ran; I did not repeat it. The note: {text}",
        "open": "There is no result of {call} yet.",
    },
}
_EDITED: Mapping[Language, tuple[str, str]] = {
    "id": (
        "Yang dijalankan diubah dari permintaan semula: {changes}.",
        "{name} = “{new}”, bukan “{old}”",
    ),
    "en": ("What ran was changed from the request: {changes}.", "{name} = “{new}”, not “{old}”"),
}
_NOTHING: Mapping[Language, str] = {"id": "selesai, tanpa keluaran", "en": "done, without output"}


def outcome_of(call: MadeCall) -> Outcome:
    """Tell how a call ended. An error in plain words is somebody's reason not to do it."""
    if call.result is None:
        return "open"
    if _UNKNOWN.search(call.result) and call.failed:
        return "unknown"
    if not call.failed:
        return "done"
    return "failed" if _MACHINE_ERROR.search(call.result) else "refused"


def describe(
    call: MadeCall, planned: PlannedCall | None, tools: Sequence[Tool], language: Language
) -> str:
    """Return the sentences that tell how a call ended and whether it ran as it was asked for."""
    outcome = outcome_of(call)
    tool = next((t for t in tools if t.name == call.name), None)
    text = (call.result or "").strip() or _NOTHING[language]
    if outcome == "done" and tool is not None and takes_a_task(tool.required):
        return text
    if outcome == "refused":
        text = reason_in(text)
    line = _LINES[language][outcome].format(call=_shown_call(call, tool), text=text)
    changes = _changes(call, planned, language) if outcome in ("done", "unknown") else ""
    return f"{line}\n{changes}" if changes else line


def bare_results(calls: Sequence[MadeCall]) -> str:
    """Return what calls brought, without the words this model puts around results."""
    return "\n".join(_OWN_FRAME.sub("", call.result or "") for call in calls)


def reason_in(text: str) -> str:
    """Return the person's own words of a rejection when it holds more than those."""
    _, found, reason = text.partition("Reason: ")
    return reason.strip() if found and reason.strip() else text


def _shown_call(call: MadeCall, tool: Tool | None) -> str:
    names = [p.name for p in tool.required if role_of(p) not in _LONG_ROLES] if tool else []
    values = [_shown(call.args[name]) for name in names if name in call.args][:_MAX_SHOWN_VALUES]
    return f"`{call.name}` ({', '.join(values)})" if values else f"`{call.name}`"


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _MAX_SHOWN_VALUE else text[: _MAX_SHOWN_VALUE - 1] + "…"


def _changes(call: MadeCall, planned: PlannedCall | None, language: Language) -> str:
    if planned is None or (planned.name == call.name and planned.args == call.args):
        return ""
    sentence, item = _EDITED[language]
    names = dict.fromkeys([*planned.args, *call.args])
    pairs = [(name, call.args.get(name, "-"), planned.args.get(name, "-")) for name in names]
    changes = [
        item.format(name=n, new=_shown(new), old=_shown(old)) for n, new, old in pairs if new != old
    ]
    if planned.name != call.name:
        changes.insert(0, item.format(name="tool", new=call.name, old=planned.name))
    return sentence.format(changes="; ".join(changes))
