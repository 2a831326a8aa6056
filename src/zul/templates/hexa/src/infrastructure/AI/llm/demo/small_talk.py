"""Recognises greetings, thanks, requests for help and other talk that asks for no tool."""

import re
from typing import Literal

from src.infrastructure.AI.llm.demo.text import read
from src.infrastructure.AI.llm.demo.words import word_set

Talk = Literal[
    "greeting",
    "thanks",
    "help",
    "goodbye",
    "cancel",
    "how_are_you",
    "who_are_you",
    "refusal",
    "noted",
    "",
]

_WORDS: tuple[tuple[Talk, frozenset[str]], ...] = (
    ("greeting", word_set(
        """
        halo hai hi hello hey hei assalamualaikum selamat pagi siang sore malam good morning
        afternoon evening night yo ping test tes permisi
        """
    )),
    ("thanks", word_set(
        """
        terima kasih makasih trims thanks thank thx you so much banyak sekali ya very for sip
        mantap great nice bagus awesome perfect
        """
    )),
    ("noted", word_set(
        """
        ok oke okay baik sip siap mantap good great nice cool fine alright sure bagus ya yes no
        nope nah tidak nggak gak enggak
        """
    )),
    ("goodbye", word_set("bye goodbye dadah sampai jumpa see you later selamat tinggal")),
)  # fmt: skip
_AROUND = word_set(
    """
    semua all there bot kak min mas mbak everyone dong juga too kawan teman friend zul
    assistant ok oke okay
    """
)
_PATTERNS: tuple[tuple[Talk, re.Pattern[str]], ...] = (
    (
        "how_are_you",
        re.compile(r"\b(?:apa kabar|how are you|how's it going|gimana kabar\w*)\b", re.IGNORECASE),
    ),
    (
        "who_are_you",
        re.compile(
            r"\b(?:(?:siapa|apa) (?:kamu|anda)(?: ini| itu)?\s*[?.!]*\s*$"
            r"|(?:siapa|apa) nama (?:kamu|anda)|(?:kamu|anda) (?:itu )?siapa"
            r"|siapa namamu|who are you|what are you|what(?:'s| is) your name"
            r"|are you (?:a |an )?(?:bot|ai|human|real|demo)\w*"
            r"|(?:kamu|anda) (?:ini )?(?:model|bot|ai|robot)|model apa|which model|what model)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "help",
        re.compile(
            r"(?:^\s*(?:tolong\s)?(?:help|bantuan|bantu(?:\s(?:saya|aku))?|menu)\s*[?.!]*\s*$)"
            r"|\b(?:apa (?:saja )?yang (?:bisa|dapat) (?:kamu|anda)"
            r"|(?:kamu|anda) (?:bisa|dapat) (?:apa|melakukan apa|ngapain)|bisa apa(?: saja)?"
            r"|what can you do|what do you do|how can you help|what are your (?:tools|capabilities)"
            r"|(?:tools?|alat|kemampuan|fitur) apa|list (?:your )?tools|what tools)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "cancel",
        re.compile(
            r"^\s*(?:batal(?:kan)?(?: saja| aja)?|(?:tidak|nggak|gak|ga|enggak) (?:jadi|usah)"
            r"|cancel(?: (?:it|that))?|never ?mind|lupakan(?: saja)?|forget it|stop)\s*[.!]*\s*$",
            re.IGNORECASE,
        ),
    ),
)
ASIDES: frozenset[Talk] = frozenset({"how_are_you", "who_are_you", "help"})
"""Talk that is recognised by a few words, whatever stands around them."""
_MAX_CHARACTERS = 120
_MAX_WORDS = 8


def small_talk(text: str) -> Talk:
    """Return the kind of small talk a message is as a whole; empty when it is none."""
    words = read(text).words if len(text) <= _MAX_CHARACTERS else []
    if not words or len(words) > _MAX_WORDS:
        return ""
    for talk, pattern in _PATTERNS:
        if pattern.search(text):
            return talk
    return next((talk for talk, known in _WORDS if _all_in(words, known)), "")


def _all_in(words: list[str], known: frozenset[str]) -> bool:
    return any(word in known for word in words[:2]) and all(
        word in known or word in _AROUND for word in words
    )
