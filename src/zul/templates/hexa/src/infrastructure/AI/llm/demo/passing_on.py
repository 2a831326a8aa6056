"""Passes the results of calls on: `check the weather in Jakarta and email it to a@x.com`."""

import re
from collections.abc import Sequence
from typing import Any

from src.infrastructure.AI.llm.demo.extraction import Intent, extract
from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.roles import role_of, takes_a_task
from src.infrastructure.AI.llm.demo.schema import Parameter, Tool
from src.infrastructure.AI.llm.demo.text import Clause, Token, read
from src.infrastructure.AI.llm.demo.tool_choice import choose_tool, tells
from src.infrastructure.AI.llm.demo.vocabulary import FILLERS
from src.infrastructure.AI.llm.demo.words import word_set

_RESULT = re.compile(
    r"\b(?:hasil(?:nya)?(?: (?:itu|tersebut))?|ringkasannya|(?:the |that |its )?results?"
    r"|the (?:answer|summary|outcome)"
    r"|(?:(?<=mail )|(?<=send )|(?<=forward )|(?<=pass ))(?:it|them|that|this)(?= to\b| on\b))\b",
    re.IGNORECASE,
)

_ADDRESS = re.compile(r"(?:\s(?:to|ke|kepada))?\s\S{1,64}@\S{1,200}", re.IGNORECASE)
_WRITING = word_set("send email notify to")
_IDLE = word_set("let it them one")


def names_results(clause: Clause) -> bool:
    """Tell whether the clause speaks of what the calls before it bring."""
    return bool(_RESULT.search(clause.text))


def leans_on(earlier: Sequence[Intent], intent: Intent, clause: Clause) -> bool:
    """Tell whether what a clause leaves out can only be what the wishes before it bring."""
    return _lacks_only_words(intent, clause) and all(
        before.calls and before.tool != intent.tool for before in earlier
    )


def _lacks_only_words(intent: Intent, clause: Clause) -> bool:
    if takes_a_task(intent.tool.required):
        kinds = {token.kind for token in clause.tokens}
        return "email" in kinds and not tells(clause) and all(map(_is_idle, clause.tokens))
    return bool(intent.missing) and {role_of(p) for p in intent.missing} <= {"content", "title"}


def _is_idle(token: Token) -> bool:
    return (
        token.kind in ("email", "sign")
        or token.word in FILLERS | _IDLE
        or token.concept in _WRITING
    )


def report_wanted(
    clause: Clause, tools: Sequence[Tool], language: Language
) -> tuple[Intent, Tool] | None:
    """Return what to look up, and the tool to send it with, for `email a@x.com the weather in …`.

    A clause with words of its own to send asks for no report.
    """
    kinds = {token.kind for token in clause.tokens}
    if "email" not in kinds or "quoted" in kinds or tells(clause):
        return None
    carriers = [tool for tool in tools if "email" in tool.name_concepts]
    carrier = choose_tool(clause, carriers)
    sources = [tool for tool in tools if tool not in carriers]
    source = choose_tool(clause, sources, clearly=True) if carrier else None
    if carrier is None or source is None:
        return None
    intent = extract(source, read(" ".join(_ADDRESS.sub("", clause.text).split())), language)
    return (intent, carrier) if intent.calls else None


def arguments_with_results(
    tool: Tool, clause: Clause, results: str, language: Language
) -> list[dict[str, Any]]:
    """Return the arguments of a wish that passes on the results of earlier calls."""
    wish = read(" ".join(_RESULT.sub(" ", clause.text).split()))
    texts = [p for p in tool.parameters if role_of(p) == "content"]
    known = {p.name: results for p in texts[:1] if p.accepts(results)}
    found = [dict(args) for args in extract(tool, wish, language, known).calls]
    return found if texts else [_appended(tool.required, args, results, language) for args in found]


def _appended(
    parameters: Sequence[Parameter], args: dict[str, Any], results: str, language: Language
) -> dict[str, Any]:
    label = "body" if language == "en" else "isi"
    quoted = results.translate({ord("“"): '"', ord("”"): '"'})
    for parameter in parameters:
        if role_of(parameter) == "query" and isinstance(args.get(parameter.name), str):
            args[parameter.name] += f" {label}: “{quoted}”"
    return args
