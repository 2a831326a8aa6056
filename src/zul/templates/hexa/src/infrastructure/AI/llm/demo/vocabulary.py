"""The words the demo model knows: Indonesian and English names for one concept.

Nothing here belongs to one tool. A tool that is bound later is understood through the same
concepts, because its name, its description and its parameters go through `canonical` just like
the user's message.
"""

from collections.abc import Iterator
from functools import lru_cache

from src.infrastructure.AI.llm.demo.concepts import CONCEPTS
from src.infrastructure.AI.llm.demo.words import word_set

GENERIC = word_set(
    """
    get create list update use run do set handle perform execute call tool agent assistant
    expert subagent specialist helper worker service function api ask question answer task
    about name text number day query
    """
)
"""Concepts that say too little to choose a tool by themselves."""

STOP_WORDS = word_set(
    """
    a an the is are was were be been am do does did of and or but if then than as by on with
    without this that these those it its i me my we our you your he she they them his her
    their what which who whom when where why how can could would should will shall may might
    must please kindly just also too not no yes so such any all some every each other one
    there here now today tomorrow yesterday let us up out over have has had return returns
    given using yang dan atau tetapi tapi jika kalau maka adalah ialah itu ini saya aku kamu
    anda dia mereka kami kita apa siapa kapan mana dimana mengapa kenapa bagaimana gimana
    berapa bisa dapat bolehkah boleh akan harus mohon tolong silakan dong ya yah deh sih kok
    lah nih juga saja aja tidak bukan jangan sudah belum telah sedang lagi hari besok kemarin
    sekarang nanti dengan oleh sebagai secara agar supaya para sebuah suatu semua setiap lain
    ada mau ingin butuh perlu lalu kemudian terus serta apakah adakah tersebut via lewat
    melalui hasil hasilnya result per
    """
)
"""Words that carry no wish of their own."""

FILLERS = word_set(
    """
    tolong mohon please kindly dong ya yah deh sih kok nih lah bisa bisakah boleh bolehkah can
    could would you kamu anda sekarang now today hari ini besok tomorrow saja aja juga also
    lagi again just saya aku i me want need would like mau ingin butuh perlu segera cepat pls
    plz tadi itu this the a an sebuah suatu untuk for saat kini currently lalu kemudian then
    terus dan and dengan with bro kak min nanti malam pagi siang sore tonight so jadi there
    new baru is are what how apa bagaimana gimana berapa whats hows do does know tahu oh oke
    ok okay hai halo hi hello hey
    """
)
"""Words that may stand around a value without being part of it."""

NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        [
            "nol zero",
            "satu one",
            "dua two",
            "tiga three",
            "empat four",
            "lima five",
            "enam six",
            "tujuh seven",
            "delapan eight",
            "sembilan nine",
            "sepuluh ten",
            "sebelas eleven",
        ]
    )
    for word in words.split()
}
MULTIPLIERS = {
    word: factor
    for factor, words in {
        10**3: "k rb ribu thousand",
        10**6: "jt juta million",
        10**9: "miliar milyar billion",
    }.items()
    for word in words.split()
}

CURRENCIES = {
    word: code
    for code, words in {
        "USD": "usd dolar dollar dollars $",
        "IDR": "idr rupiah rp",
        "EUR": "eur euro euros \u20ac",
        "JPY": "jpy yen \u00a5",
        "GBP": "gbp pound pounds poundsterling \u00a3",
        "MYR": "myr ringgit",
        "CNY": "cny yuan",
        "KRW": "krw",
        "INR": "inr rupee",
        "THB": "thb baht",
        "SAR": "sar riyal",
        **{code.upper(): code for code in ("sgd", "aud", "cad", "chf", "hkd", "nzd", "btc")},
    }.items()
    for word in words.split()
}

ZONES = {
    place: zone
    for zone, places in {
        "UTC": "utc,gmt",
        "Asia/Jakarta": "wib,jakarta,bandung,surabaya,yogyakarta",
        "Asia/Makassar": "wita,makassar,bali,denpasar",
        "Asia/Jayapura": "wit,jayapura",
        "Asia/Tokyo": "tokyo",
        "Asia/Singapore": "singapore,singapura",
        "Asia/Seoul": "seoul",
        "Asia/Dubai": "dubai",
        "Australia/Sydney": "sydney",
        "Europe/London": "london",
        "Europe/Paris": "paris",
        "Europe/Berlin": "berlin",
        "America/New_York": "new york",
        "America/Los_Angeles": "los angeles,san francisco,sf",
    }.items()
    for place in places.split(",")
}

COUNTRIES = word_set(
    """
    indonesia malaysia singapore singapura japan jepang france prancis germany jerman italy
    italia spain spanyol australia canada kanada usa us uk england inggris india china
    thailand vietnam netherlands belanda brazil mexico
    """
)

MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "januari january jan",
            "februari february feb",
            "maret march mar",
            "april apr",
            "mei may",
            "juni june jun",
            "juli july jul",
            "agustus august agu aug",
            "september sep",
            "oktober october okt oct",
            "november nov",
            "desember december des dec",
        ],
        start=1,
    )
    for name in names.split()
}

YES = word_set("ya yes true benar iya aktif on y betul yup yep")
NO = word_set("tidak no false bukan nonaktif off n salah enggak nggak gak without tanpa")

_PREFIXES = (
    "meng",
    "meny",
    "mem",
    "men",
    "me",
    "di",
    "ber",
    "ter",
    "peng",
    "pem",
    "pen",
    "per",
    "pe",
)
_ELIDED = {"meng": "k", "meny": "s", "mem": "p", "men": "t", "peng": "k", "pem": "p", "pen": "t"}
_SUFFIXES = ("nya", "lah", "kah", "kan", "an", "i", "'s", "\u2019s", "es", "s", "ing", "ed")
_SHORTEST_STEM = 3

_INDEX: dict[str, str] = {}
for _concept, _words in CONCEPTS.items():
    for _word in _words.split():
        _INDEX.setdefault(_word, _concept)
_INDEX.update(dict.fromkeys((w for w in CURRENCIES if w.isalpha()), "currency"))


def _without_suffix(word: str) -> Iterator[str]:
    yield word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            yield word[: -len(suffix)]


def _stems(word: str) -> Iterator[str]:
    yield from _without_suffix(word)
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            rest = word[len(prefix) :]
            yield from _without_suffix(rest)
            if prefix in _ELIDED:
                yield from _without_suffix(_ELIDED[prefix] + rest)


@lru_cache(maxsize=8192)
def canonical(word: str) -> str:
    """Return the concept a lower-case word stands for, or the word itself in the singular."""
    if len(word) > 40:
        return word
    for stem in _stems(word):
        if stem in _INDEX:
            return _INDEX[stem]
    plural = len(word) > _SHORTEST_STEM and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


def is_known(word: str, *, exactly: bool = False) -> bool:
    """Tell whether a lower-case word stands for a concept, by its stem unless `exactly`."""
    return word in _INDEX or (not exactly and canonical(word) in CONCEPTS)


def display_word(concept: str, *, indonesian: bool) -> str:
    """Return a word for `concept` that a person would type."""
    words = CONCEPTS.get(concept, concept).split()
    return words[1] if indonesian and len(words) > 1 else words[0]
