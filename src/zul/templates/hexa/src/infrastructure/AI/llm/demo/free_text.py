"""Fills text parameters with what the clause says: after `bahwa`, in quotes, or what is left."""

import re
from collections.abc import Callable, Sequence

from src.infrastructure.AI.llm.demo.draft import Draft
from src.infrastructure.AI.llm.demo.roles import Role, role_of
from src.infrastructure.AI.llm.demo.schema import Parameter
from src.infrastructure.AI.llm.demo.text import Clause
from src.infrastructure.AI.llm.demo.values import PREPOSITIONS, Found, tokens_of_kind
from src.infrastructure.AI.llm.demo.vocabulary import FILLERS, GENERIC
from src.infrastructure.AI.llm.demo.words import word_set

_SPEECH = word_set("that bahwa saying says bilang katanya kalau")
_TOPIC = frozenset({"about"})
_SEARCHES = word_set("search news joke")
_NOT_CONTENT = FILLERS - word_set("pagi siang sore malam tonight") | word_set(
    "to ke kepada pada from dari in di at about tentang of let it them one satu"
)
_SAYS_NOTHING = GENERIC - {"ask"} | {"send", "notify"}
_MAX_HEADLINE_WORDS = 6
_MAX_NAME_WORDS = 3

Span = tuple[int, int]
Source = Callable[[Draft], Span | None]


def fill_text(draft: Draft) -> None:
    """Give the required text parameters that are still open their values."""
    _set_aside_names(draft)
    for role in ("content", "query", "title", "string"):
        for parameter in draft.open_text(lacking=False):
            if role_of(parameter) == role and (draft.lacks(parameter) or role == "query"):
                _put_text(draft, parameter, role)
    derive_titles(draft)


def derive_titles(draft: Draft) -> None:
    """Make a missing title from the text it stands above."""
    body = next((draft.args[p.name] for p in draft.tool.parameters if _is_told(draft, p)), None)
    for parameter in draft.missing():
        if role_of(parameter) == "title" and isinstance(body, str):
            draft.put(parameter, Found(headline(body), 0, 0))


def _is_told(draft: Draft, parameter: Parameter) -> bool:
    return role_of(parameter) == "content" and parameter.name in draft.args


def headline(text: str) -> str:
    """Return the first words of a text as a title."""
    words = re.split(r"[.!?](?=\s|$)|[\n(]", text.strip()[:200])[0].split()[:_MAX_HEADLINE_WORDS]
    title = " ".join(words).strip(" ,;:-")
    return title[:1].upper() + title[1:] or text.strip()[:40]


def _put_text(draft: Draft, parameter: Parameter, role: Role) -> None:
    span = _span(draft, parameter, role)
    if span is None:
        return
    start, end = span
    clause = draft.clause
    quoted = end - start == 1 and clause.tokens[start].kind == "quoted"
    text = clause.tokens[start].value if quoted else clause.between(start, end)
    # A task is passed on whole; its words may serve other parameters too.
    used = (0, 0) if role == "query" else (start, end)
    draft.put(parameter, Found(text, *used))


def _span(draft: Draft, parameter: Parameter, role: Role) -> Span | None:
    sources = _sources(draft, parameter, role)
    return next((span for source in sources if (span := source(draft))), None)


def _sources(draft: Draft, parameter: Parameter, role: Role) -> Sequence[Source]:
    """Return where to look for the text of a parameter, the surest place first."""
    if role == "query":
        searches = bool(draft.tool.name_concepts & _SEARCHES)
        return (_topic, _quotation, _rest, _whole) if searches else (_whole,)
    if role == "content":
        return (_spoken, _after_colon, _last_quotation, _topic, _rest)
    if role == "title" and any(role_of(p) == "content" for p in draft.tool.required):
        return (_topic, _quotation)
    others = [p for p in draft.open_text() if p is not parameter and role_of(p) != "query"]
    return (_quotation, _topic) if others and role == "string" else (_quotation, _topic, _rest)


def _whole(draft: Draft) -> Span | None:
    tokens = draft.clause.tokens
    end = len(tokens)
    while end and tokens[end - 1].word in (",", ";", "."):
        end -= 1
    return (0, end) if end else None


def _quotations(draft: Draft) -> list[Found]:
    return draft.unused(tokens_of_kind(draft.clause, "quoted"))


def _quotation(draft: Draft) -> Span | None:
    return next(((found.start, found.end) for found in _quotations(draft)), None)


def _last_quotation(draft: Draft) -> Span | None:
    return next(((found.start, found.end) for found in reversed(_quotations(draft))), None)


def _spoken(draft: Draft) -> Span | None:
    return _following(draft, lambda clause, i: clause.tokens[i].word in _SPEECH)


def _after_colon(draft: Draft) -> Span | None:
    return _following(draft, lambda clause, i: clause.tokens[i].word == ":")


def _topic(draft: Draft) -> Span | None:
    return _following(draft, lambda clause, i: clause.tokens[i].concept in _TOPIC)


def _following(draft: Draft, opens: Callable[[Clause, int], bool]) -> Span | None:
    """Return the unused tokens behind the first opening word, up to the next used one."""
    count = len(draft.clause.tokens)
    opening = next(
        (i for i in range(count) if i not in draft.used and opens(draft.clause, i)), count
    )
    start = opening + 1
    while start < count and draft.clause.tokens[start].word in _SPEECH:
        start += 1
    end = start
    while end < count and end not in draft.used:
        end += 1
    end = _trim_right(draft, start, end)
    return (start, end) if start < end else None


def _trim_right(draft: Draft, start: int, end: int) -> int:
    tokens = draft.clause.tokens
    while end > start and (tokens[end - 1].word in (",", ";", ".") or _introduces_used(draft, end)):
        end -= 1
    return end


def _introduces_used(draft: Draft, end: int) -> bool:
    token = draft.clause.tokens[end - 1]
    return end in draft.used and (
        token.concept in PREPOSITIONS or token.word in ("dan", "and", "dengan", "with")
    )


def _rest(draft: Draft) -> Span | None:
    """Return the longest run of tokens that says something and was not used for anything else."""
    runs = [_trimmed(draft, start, end) for start, end in _runs(draft)]
    best = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    return best if best[0] < best[1] else None


def _runs(draft: Draft) -> list[tuple[int, int]]:
    runs, start = [], 0
    for i in range(len(draft.clause.tokens) + 1):
        if i == len(draft.clause.tokens) or i in draft.used:
            runs.append((start, i))
            start = i + 1
    return [run for run in runs if run[0] < run[1]]


def _trimmed(draft: Draft, start: int, end: int) -> tuple[int, int]:
    while start < end and _is_idle(draft, start):
        start += 1
    while end > start and _is_idle(draft, end - 1):
        end -= 1
    return start, end


def _is_idle(draft: Draft, index: int) -> bool:
    token = draft.clause.tokens[index]
    if token.kind == "sign":
        return True
    named = token.kind == "word" and token.concept in _SAYS_NOTHING | draft.tool.name_concepts
    return named or token.word in _NOT_CONTENT or token.concept in draft.tool.parameter_concepts


def _set_aside_names(draft: Draft) -> None:
    """Use up `ke Budi` when an address is wanted and only a name is there: it is nobody's text."""
    addresses = [p for p in draft.tool.required if role_of(p) == "email"]
    if not addresses:
        return
    any_word = any(draft.lacks(parameter) for parameter in addresses)
    for i, token in enumerate(draft.clause.tokens):
        if token.word in _SPEECH or token.word == ":":
            return
        if token.concept == "to" and i not in draft.used:
            end = _end_of_name(draft.clause, i + 1, any_word=any_word)
            draft.use(i if end > i + 1 else end, end)


def _end_of_name(clause: Clause, start: int, *, any_word: bool) -> int:
    end = start
    for token in clause.tokens[start : start + _MAX_NAME_WORDS]:
        is_name = token.value[:1].isupper() or (any_word and end == start)
        if token.kind != "word" or not is_name:
            break
        end += 1
    return end
