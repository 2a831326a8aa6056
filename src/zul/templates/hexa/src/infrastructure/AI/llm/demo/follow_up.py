"""Understands short messages that lean on the call before: `kalau di Bandung?`, `again`."""

import re
from collections.abc import Collection, Sequence

from src.infrastructure.AI.llm.demo.conversation import Conversation, MadeCall
from src.infrastructure.AI.llm.demo.extraction import Intent, extract
from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.places import bare_places, places
from src.infrastructure.AI.llm.demo.roles import role_of, takes_a_task
from src.infrastructure.AI.llm.demo.schema import Parameter, Tool
from src.infrastructure.AI.llm.demo.text import Clause, read
from src.infrastructure.AI.llm.demo.typed import candidates

_OPENING = re.compile(
    r"^\s*(?:(?:dan|and|oke|ok|terus|lalu|then|now|sekarang)[\s,]+)?"
    r"(?:kalau|kalo|bagaimana|gimana|bgmn|how about|what about|how's about|untuk|for|dan|and)\b"
    r"(?:\s(?:dengan|kalau|soal|for|yang|the one))?\s*(?:di|in)?\s*",
    re.IGNORECASE,
)
_AMENDS = re.compile(
    r"\b(?:saja|aja|ganti|ubah|instead|change|rather|ralat|koreksi|maksud(?:nya| saya)?"
    r"|i meant|make it)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"^\s*(?:tolong\s)?(?:ulangi?|coba|kirim|lakukan|jalankan|try|do it|repeat|send it|retry)?\s*"
    r"(?:lagi|sekali lagi|again|once more|that|it|retry|ulangi)\s*(?:ya|dong|please)?\s*[.!]?\s*$",
    re.IGNORECASE,
)
ASKED = re.compile(r"saya masih perlu `|I still need `")
"""Finds this model's own question for missing arguments in what a subagent returned."""
_MAX_TOKENS = 12
_MAX_TURNS_BACK = 5
_BARE_TOKENS = 4


def asks_back(call: MadeCall) -> bool:
    """Tell whether a subagent answered with a question of this model's."""
    return bool(ASKED.search(call.result or ""))


def wants_repetition(text: str) -> bool:
    """Tell whether the message is nothing but `ulangi`, `coba lagi`, `try again`."""
    return len(text) < 80 and bool(_AGAIN.match(text))


def follow_up(
    earlier: Conversation,
    message: Clause,
    tools: Sequence[Tool],
    language: Language,
    wanted: Collection[str],
) -> Intent | None:
    """Return the last call with the arguments that the message changes, if it changes any.

    `wanted` holds the tools the message itself names; the last call must then be one of theirs.
    """
    if len(message.tokens) > _MAX_TOKENS:
        return None
    call = _last_call(earlier)
    tool = next((t for t in tools if call and t.name == call.name), None)
    if call is None or tool is None or (wanted and tool.name not in wanted):
        return None
    opening = _OPENING.match(message.text)
    if not (opening or wanted or _is_short(message)):
        return None
    changed = _changed(tool, message, opening.end() if opening else 0, language, call)
    return changed if changed and changed.fresh else None


def _is_short(message: Clause) -> bool:
    """Tell whether a message is `Bandung?` or `ke Budi saja` rather than a request of its own."""
    asks = message.text.rstrip().endswith("?") and len(message.tokens) <= _BARE_TOKENS
    return asks or bool(_AMENDS.search(message.text))


def continued_task(earlier: Conversation, message: Clause, tools: Sequence[Tool]) -> Intent | None:
    """Return the task of a subagent that asked a question, with the user's answer added to it."""
    calls = earlier.turns[-1].calls if earlier.turns else []
    call = next((c for c in calls if asks_back(c)), None)
    tool = next(
        (t for t in tools if call and t.name == call.name and takes_a_task(t.required)), None
    )
    if call is None or tool is None:
        return None
    name = tool.required[0].name
    args = {name: f"{str(call.args.get(name, '')).rstrip(' .?!')}, {message.text}"}
    return Intent(tool, (args,), args, (), frozenset({name}))


def _last_call(earlier: Conversation) -> MadeCall | None:
    calls = [call for turn in earlier.turns[-_MAX_TURNS_BACK:] for call in turn.calls]
    return calls[-1] if calls else None


def _changed(
    tool: Tool, message: Clause, offset: int, language: Language, call: MadeCall
) -> Intent | None:
    rest = _behind(message, offset)
    texts = [p for p in tool.required if role_of(p) == "query"]
    if texts:
        return _changed_text(tool, texts[0], rest, language, call)
    base = dict(call.args)
    for parameter in tool.parameters:
        found = (
            bare_places(rest)
            if role_of(parameter) == "place"
            else candidates(parameter, rest, language)
        )
        values = [f.value for f in found if parameter.accepts(f.value)]
        if values and parameter.name in {**base, **dict.fromkeys(p.name for p in tool.required)}:
            calls = tuple({**base, parameter.name: value} for value in values)
            return Intent(tool, calls, calls[0], (), frozenset({parameter.name}))
    return extract(tool, rest, language, base)


def _behind(message: Clause, offset: int) -> Clause:
    begin = message.tokens[0].start + offset if message.tokens else 0
    first = next(
        (i for i, token in enumerate(message.tokens) if token.start >= begin), len(message.tokens)
    )
    return message.part(first, len(message.tokens))


def _changed_text(
    tool: Tool, parameter: Parameter, rest: Clause, language: Language, call: MadeCall
) -> Intent | None:
    """Put the new place into the old task, so that the task can be understood by itself."""
    old = str(call.args.get(parameter.name, ""))
    before, now = places(read(old)), bare_places(rest) or places(rest)
    if not before or not now:
        return None
    link = " and " if language == "en" else " dan "
    start, end = read(old).tokens[before[0].start].start, read(old).tokens[before[-1].end - 1].end
    text = old[:start] + link.join(str(place.value) for place in now) + old[end:]
    args = {**call.args, parameter.name: text}
    return Intent(tool, (args,), args, (), frozenset({parameter.name}))
