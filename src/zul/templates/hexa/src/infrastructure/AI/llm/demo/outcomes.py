"""Puts tool results into words: what came back, what failed, what a person rejected or changed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .conversation import MadeCall
from .language import Language
from .planning import PlannedCall
from .roles import role_of
from .schema import Tool

Outcome = Literal["done", "failed", "refused", "unknown", "open"]

_MACHINE_ERROR = re.compile(
    r"^\s*(?:error|fail|gagal|traceback|exception)|error\(|exception\b|not a valid tool|please fix|field required|"
    r"validation error|timed? ?out|\b\w+error:",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:outcome|result|whether|status|hasil\w*|apakah)\b[^.\n]{0,80}\b(?:unknown|not known|uncertain|unclear|tidak diketahui"
    r"|belum diketahui|tidak pasti)\b|\b(?:unknown|not known|uncertain|unclear|tidak diketahui|belum diketahui)\b[^.\n]{0,40}"
    r"\b(?:whether|outcome|if it ran|apakah)\b|\bmay (?:or may not )?have (?:been )?(?:run|executed|happened)\b",
    re.IGNORECASE,
)
_MAX_SHOWN_VALUE = 60

_LINES: Mapping[Language, Mapping[Outcome, str]] = {
    "id": {
        "done": "Hasil {call}: {text}",
        "failed": "{call} gagal: {text}",
        "refused": "{call} tidak dijalankan. Alasannya: “{text}”",
        "unknown": "Belum diketahui apakah {call} sudah berjalan, jadi tidak saya ulangi. Keterangannya: {text}",
        "open": "Belum ada hasil dari {call}.",
    },
    "en": {
        "done": "Result of {call}: {text}",
        "failed": "{call} failed: {text}",
        "refused": "{call} was not done. The reason given: “{text}”",
        "unknown": "It is unknown whether {call} ran, so I did not repeat it. What is known: {text}",
        "open": "There is no result of {call} yet.",
    },
}
_EDITED: Mapping[Language, tuple[str, str]] = {
    "id": ("Yang dijalankan diubah dari permintaan semula: {changes}.", "{name} = “{new}”, bukan “{old}”"),
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


def describe(call: MadeCall, planned: PlannedCall | None, tools: Sequence[Tool], language: Language) -> str:
    """Return the sentences that tell how a call ended and whether it ran as it was asked for."""
    outcome = outcome_of(call)
    tool = next((t for t in tools if t.name == call.name), None)
    text = (call.result or "").strip() or _NOTHING[language]
    if outcome == "done" and tool is not None and hands_over(tool):
        return text
    line = _LINES[language][outcome].format(call=_shown_call(call, tool), text=text)
    changes = _changes(call, planned, language) if outcome in ("done", "failed", "unknown") else ""
    return f"{line}\n{changes}" if changes else line


def hands_over(tool: Tool) -> bool:
    """Tell whether a tool takes a whole task in words, as a subagent does; its answer then stands by itself."""
    return len(tool.required) == 1 and role_of(tool.required[0]) == "query"


def _shown_call(call: MadeCall, tool: Tool | None) -> str:
    names = [p.name for p in tool.required if p.name in call.args] if tool else list(call.args)
    values = [_shown(call.args[name]) for name in names[:3]]
    return f"`{call.name}` ({', '.join(values)})" if values else f"`{call.name}`"


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    text = str(value)
    return text if len(text) <= _MAX_SHOWN_VALUE else text[: _MAX_SHOWN_VALUE - 1] + "…"


def _changes(call: MadeCall, planned: PlannedCall | None, language: Language) -> str:
    if planned is None or (planned.name == call.name and planned.args == call.args):
        return ""
    sentence, item = _EDITED[language]
    names = dict.fromkeys([*planned.args, *call.args])
    pairs = [(name, call.args.get(name, "-"), planned.args.get(name, "-")) for name in names]
    changes = [item.format(name=n, new=_shown(new), old=_shown(old)) for n, new, old in pairs if new != old]
    if planned.name != call.name:
        changes.insert(0, item.format(name="tool", new=call.name, old=planned.name))
    return sentence.format(changes="; ".join(changes))
