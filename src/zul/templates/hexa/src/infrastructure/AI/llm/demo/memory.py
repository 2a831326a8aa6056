"""Remembers what the user said earlier in the conversation, and answers questions about it."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from src.infrastructure.AI.llm.demo.conversation import Conversation
from src.infrastructure.AI.llm.demo.places import bare_places, places
from src.infrastructure.AI.llm.demo.roles import role_of
from src.infrastructure.AI.llm.demo.schema import Tool
from src.infrastructure.AI.llm.demo.text import read
from src.infrastructure.AI.llm.demo.vocabulary import canonical
from src.infrastructure.AI.llm.demo.words import word_set

_TEXT = r"(?:[^\n.!?;,]|\.(?=\w)){1,120}"
_VALUE = rf"(?P<value>{_TEXT})"
_START = r"(?:^|[.!?;,\n]\s{0,3}|\b(?:dan|and|btw|halo|hai|hi|hello|bahwa|that)\s)"
_FACTS = tuple(
    re.compile(_START + pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<key>nama)\s(?:lengkap\s)?(?:saya|aku|gue)\s(?:adalah\s|ialah\s|itu\s)?" + _VALUE,
        r"(?:saya|aku)\s(?:bernama|dipanggil)\s(?P<name>" + _TEXT + r")",
        r"(?:panggil|call)\s(?:saya|aku|me)\s(?P<name>" + _TEXT + r")",
        r"(?:saya|aku|gue)\s(?:tinggal|berdomisili|menetap)\s(?:di\s)?(?P<home>" + _TEXT + r")",
        r"(?:saya|aku|gue)\s(?:berasal\s)?dari\s(?P<home>" + _TEXT + r")",
        r"i(?:\sam|['\u2019]m)?\s(?:live|living|based)\sin\s(?P<home>" + _TEXT + r")",
        r"i(?:\sam|['\u2019]m)\sfrom\s(?P<home>" + _TEXT + r")",
        r"my\s(?P<key>[^\W\d_]+(?:\s[^\W\d_]+){0,3})\s(?:is|are)\s" + _VALUE,
        r"(?P<key>[^\W\d_]+(?:\s[^\W\d_]+){0,2})\s(?:saya|aku)\s(?:adalah\s|ialah\s|itu\s)?"
        + _VALUE,
    )
)
_NO_KEYS = word_set(
    """
    di ke dari tolong kirim cek apa siapa berapa mana bagaimana kapan bisa boleh untuk kepada
    pada sama buat tadi yang jika kalau karena menurut bantu ingatkan kasih beri apakah dengan
    what who where how kabari kabarkan beritahu beritahukan tunjukkan kirimi
    """
)
_NO_VALUES = word_set(
    """
    apa siapa berapa mana what who where sekarang ingin mau butuh perlu bisa not tidak
    """
)
_HOME = re.compile(
    r"\b(?:kota|tempat\s(?:tinggal)?|rumah|daerah)\s?(?:saya|aku|ku)\b|\bkotaku\b"
    r"|\bmy\s(?:city|town|hometown|place|home)\b|\bwhere\si\slive\b|\btempat\ssaya\stinggal\b",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"\b(?:di\s)?(?:sana|situ)\b|\b(?:over\s)?there\b(?!\s(?:is|are|be|was|any))", re.IGNORECASE
)
_ASKS_WORDS = re.compile(
    r"\b(?:what|apa|siapa|where|di\s?mana|dimana|berapa|who|which|ingat"
    r"|do you (?:know|remember))\b",
    re.IGNORECASE,
)
_ASKS_PAST = re.compile(
    r"(?:saya|aku)\s(?:tadi\s|barusan\s|sudah\s)?"
    r"(?:tanya\w*|menanyakan|minta|bilang|katakan|sebut\w*)"
    r"|\bdid\si\s(?:just\s)?(?:ask|say|mention|tell|want|request)"
    r"|\bi\s(?:asked|said|mentioned|told)\b"
    r"|pertanyaan\s(?:saya|terakhir|sebelumnya|pertama)"
    r"|my\s(?:last|previous|first)\s(?:question|message)",
    re.IGNORECASE,
)
_PLACE_WORDS = word_set("city place location region country")
NAME, HOME = "name", "home"
_MAX_FACT_MESSAGES = 200
_READ_FOR_FACTS = 1000
_MAX_QUESTION_WORDS = 10


@lru_cache(maxsize=256)
def facts_in(text: str) -> Mapping[str, tuple[str, str]]:
    """Return what the user states about themselves: concept -> (words used, value)."""
    found: dict[str, tuple[str, str]] = {}
    for sentence in re.findall(r"(?:[^.!?\n,;]|[.](?=\w))+[.!?,;]?", text[:_READ_FOR_FACTS]):
        matches = (
            m
            for pattern in _FACTS
            for m in pattern.finditer(sentence.strip())
            if not sentence.endswith("?")
        )
        for match in matches:
            for key, fact in _fact(match.groupdict()).items():
                found.setdefault(key, fact)
    return found


def _fact(groups: dict[str, str | None]) -> dict[str, tuple[str, str]]:
    label = next((word for word in (NAME, HOME) if groups.get(word)), groups.get("key") or "")
    value = _first_part(groups.get("name") or groups.get("home") or groups.get("value") or "")
    words = label.casefold().split()
    if (
        not words
        or not value
        or _NO_KEYS.intersection(words)
        or value.split()[0].casefold() in _NO_VALUES
    ):
        return {}
    return {_key(words): (label, value)}


def _first_part(value: str) -> str:
    kept = re.split(
        r"\s(?:dan|and|tolong|please|lalu|tapi|but)\s", f"{value.strip()} ", maxsplit=1
    )[0]
    return kept.strip(" \"'“”")


def _key(words: Sequence[str]) -> str:
    concepts = sorted(
        {canonical(word) for word in words if word not in ("tinggal", "lengkap", "full")}
    )
    return HOME if set(concepts) <= _PLACE_WORDS | {HOME} else " ".join(concepts)


def known_facts(conversation: Conversation) -> dict[str, tuple[str, str]]:
    """Return everything the user stated earlier; a later statement replaces an earlier one."""
    facts: dict[str, tuple[str, str]] = {}
    for request in conversation.requests[-_MAX_FACT_MESSAGES:]:
        facts.update(facts_in(request))
    return facts


def asked_fact(text: str) -> str | None:
    """Return the concept a question about the user asks for (`siapa nama saya?` -> name)."""
    text = re.findall(r"[^.!?\n]+", text)[-1] if text.strip(" .!?\n") else ""
    words = [word.replace("\u2019", "'") for word in read(text).words]
    if len(words) > _MAX_QUESTION_WORDS or not _ASKS_WORDS.search(text) or _ASKS_PAST.search(text):
        return None
    joined = " ".join(words)
    if re.search(
        r"\b(?:saya|aku) tinggal\b|\bdo i live\b|\bam i from\b|\b(?:saya|aku) (?:dari|berasal)\b",
        joined,
    ):
        return HOME
    if re.fullmatch(r"(?:siapa(?:kah)? (?:saya|aku)|who am i)", joined):
        return NAME
    match = re.search(r"\bmy ((?:\w+ ?){1,4})$|\b((?:\w+ ){1,3})(?:saya|aku)$", joined)
    groups = (match.group(1) or match.group(2) or "") if match else ""
    key = [
        word
        for word in groups.split()
        if not _ASKS_WORDS.fullmatch(word) and word not in ("kamu", "tahu")
    ]
    return _key(key) if key else None


def asks_about_past(text: str) -> bool:
    """Tell whether the message asks what was said before."""
    return bool(_ASKS_PAST.search(text)) and (
        text.rstrip().endswith("?") or bool(_ASKS_WORDS.search(text))
    )


def asks_for_place(text: str) -> bool:
    """Tell whether a question about the past asks for a place."""
    return any(canonical(word) in _PLACE_WORDS for word in read(text).words)


def last_place(conversation: Conversation, tools: Sequence[Tool]) -> str | None:
    """Return the place that was asked about last."""
    for turn in reversed(conversation.turns[-_MAX_FACT_MESSAGES:]):
        values = [
            value for call in turn.calls for value in _place_arguments(call.name, call.args, tools)
        ]
        values = values or [
            found.value for found in places(read(turn.request)) if found.lead == "in"
        ]
        if values:
            return values[-1]
    return None


def _place_arguments(name: str, args: object, tools: Sequence[Tool]) -> list[str]:
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None or not isinstance(args, dict):
        return []
    return [str(args[p.name]) for p in tool.parameters if p.name in args and role_of(p) == "place"]


def resolve_references(text: str, conversation: Conversation, tools: Sequence[Tool]) -> str:
    """Replace `kota saya` and `di sana` by the places they stand for, when those are known."""
    if _HOME.search(text):
        home = facts_in(text).get(HOME) or known_facts(conversation).get(HOME)
        text = _HOME.sub(lambda _: place_of(home[1]), text) if home else text
    if _THERE.search(text):
        place = last_place(conversation, tools)
        text = _THERE.sub(lambda match: _located(match.group(), place), text) if place else text
    return text


def _located(written: str, place: str) -> str:
    return f"in {place}" if written.casefold().endswith("there") else f"di {place}"


def place_of(value: str) -> str:
    """Return the place at the start of a remembered text (`Bandung sejak 2019` -> `Bandung`)."""
    found = bare_places(read(value))
    return found[0].value if found else value
