"""Decides what the user asks for: calls now, calls on their results, or questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from src.infrastructure.AI.llm.demo.clauses import split_clauses
from src.infrastructure.AI.llm.demo.conversation import Conversation
from src.infrastructure.AI.llm.demo.extraction import Intent, complete, extract
from src.infrastructure.AI.llm.demo.follow_up import continued_task, follow_up, wants_repetition
from src.infrastructure.AI.llm.demo.language import Language, detect_language
from src.infrastructure.AI.llm.demo.memory import (
    HOME,
    asked_fact,
    asks_about_past,
    facts_in,
    known_facts,
    place_of,
    resolve_references,
)
from src.infrastructure.AI.llm.demo.passing_on import (
    arguments_with_results,
    leans_on,
    names_results,
    report_wanted,
)
from src.infrastructure.AI.llm.demo.recipients import spell_out
from src.infrastructure.AI.llm.demo.roles import role_of
from src.infrastructure.AI.llm.demo.schema import Tool
from src.infrastructure.AI.llm.demo.small_talk import ASIDES, Talk, small_talk
from src.infrastructure.AI.llm.demo.text import Clause, read
from src.infrastructure.AI.llm.demo.tool_choice import choose_tool, is_refusal

MAX_CALLS = 10
"""No message of the model asks for more calls than this."""
_MAX_LOOK_BACK = 5


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call the model wants to make."""

    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one message of the user asks for."""

    calls: tuple[PlannedCall, ...] = ()
    later: tuple[tuple[Tool, Clause], ...] = ()
    """Wishes that need the results of `calls` first."""
    missing: tuple[Intent, ...] = ()
    talk: Talk = ""


def language_of(conversation: Conversation) -> Language:
    """Return the language of the user's last message that shows one."""
    return detect_language(reversed(conversation.requests[-_MAX_LOOK_BACK:]))


def make_plan(
    conversation: Conversation, tools: Sequence[Tool], look_back: int = _MAX_LOOK_BACK
) -> Plan:
    """Return what the last message of the conversation asks for."""
    if not conversation.turns:
        return Plan(talk="greeting")
    earlier = conversation.before_last()
    request = conversation.turns[-1].request
    message = read(spell_out(resolve_references(request, earlier, tools)))
    previous = make_plan(earlier, tools, look_back - 1) if earlier.turns and look_back else Plan()
    talk = _talk(request, message, previous, tools)
    if talk or asks_about_past(request) or _asks_memory(request, message, earlier, tools):
        return Plan(talk=talk)
    if wants_repetition(request):
        return previous
    language = language_of(conversation)
    plan = _fresh_plan(message, tools, language)
    return (
        _answered(previous, plan, message, language)
        or _continued(earlier, plan, message, tools)
        or _followed(earlier, plan, message, tools, language)
        or plan
    )


def forced_plan(conversation: Conversation, tools: Sequence[Tool], tool: Tool | None) -> Plan:
    """Return a plan that calls `tool`, or the best one, as the caller of the model demands."""
    message = read(conversation.turns[-1].request) if conversation.turns else read("")
    chosen = tool or choose_tool(message, tools) or tools[0]
    return _plan([extract(chosen, message, language_of(conversation))])


def result_call(tool: Tool, clause: Clause, results: str, language: Language) -> list[PlannedCall]:
    """Return the calls of a wish that passes on the results of earlier calls."""
    found = arguments_with_results(tool, clause, results, language)
    return [PlannedCall(tool.name, args) for args in found]


def _talk(request: str, message: Clause, previous: Plan, tools: Sequence[Tool]) -> Talk:
    talk = small_talk(request)
    answers = talk == "noted" and bool(previous.missing)
    # "How are you" inside an email is not said to this model.
    wishes = talk in ASIDES and choose_tool(message, tools, clearly=True) is not None
    return "" if answers or wishes else talk


def _asks_memory(
    request: str, message: Clause, earlier: Conversation, tools: Sequence[Tool]
) -> bool:
    """Tell whether the user asks for something they said, and not for what a tool may know."""
    concept = asked_fact(request)
    if concept is None or choose_tool(message, tools, clearly=True):
        return False
    known = {*known_facts(earlier), *facts_in(request)}
    return concept in known or choose_tool(message, tools) is None


def _fresh_plan(message: Clause, tools: Sequence[Tool], language: Language) -> Plan:
    intents: list[Intent] = []
    later: list[tuple[Tool, Clause]] = []
    refused = False
    home = facts_in(message.text).get(HOME)
    for clause in split_clauses(message, tools):
        refused = refused or is_refusal(clause)
        tool = None if is_refusal(clause) or facts_in(clause.text) else choose_tool(clause, tools)
        if tool is None:
            continue
        report = report_wanted(clause, tools, language)
        if report:
            intents.append(report[0])
            later.append((report[1], clause))
            continue
        intent = extract(tool, clause, language, _at_home(tool, home))
        if intents and (names_results(clause) or leans_on(intents, intent, clause)):
            later.append((tool, clause))
        else:
            intents.append(intent)
    talk: Talk = "refusal" if refused and not intents else ""
    return _plan(intents, later, talk)


def _at_home(tool: Tool, home: tuple[str, str] | None) -> dict[str, Any]:
    """Return the place the same message calls the user's own, for a tool that needs a place."""
    places = [p.name for p in tool.required if role_of(p) == "place"]
    return {name: place_of(home[1]) for name in places} if home else {}


def _plan(
    intents: Sequence[Intent], later: Sequence[tuple[Tool, Clause]] = (), talk: Talk = ""
) -> Plan:
    calls: list[PlannedCall] = []
    for intent in intents:
        calls += [PlannedCall(intent.tool.name, dict(args)) for args in intent.calls]
    unique = [call for i, call in enumerate(calls) if call not in calls[:i]]
    return Plan(
        tuple(unique[:MAX_CALLS]), tuple(later), tuple(i for i in intents if i.missing), talk
    )


def _answered(previous: Plan, plan: Plan, message: Clause, language: Language) -> Plan | None:
    """Return the plan of a message that answers the question for missing arguments, if it does."""
    if not previous.missing or not message.tokens or plan.talk or _is_aside(message, previous):
        return None
    asked = {intent.tool.name for intent in previous.missing}
    wanted = {call.name for call in plan.calls} | {intent.tool.name for intent in plan.missing}
    if plan.calls or not wanted <= asked:
        return None
    return _plan(
        [complete(intent.tool, message, language, intent.known) for intent in previous.missing]
    )


def _is_aside(message: Clause, previous: Plan) -> bool:
    """Tell whether the user states something that nobody asked for."""
    asked = {concept for i in previous.missing for p in i.missing for concept in p.concepts}
    facts = facts_in(message.text)
    return bool(facts) and not asked.intersection(facts)


def _continued(
    earlier: Conversation, plan: Plan, message: Clause, tools: Sequence[Tool]
) -> Plan | None:
    """Return the plan of a message that answers a subagent's question, if it does."""
    if plan.talk or facts_in(message.text) or not message.tokens:
        return None
    intent = continued_task(earlier, message, tools)
    named = {call.name for call in plan.calls} | {i.tool.name for i in plan.missing}
    return _plan([intent]) if intent and named <= {intent.tool.name} else None


def _followed(
    earlier: Conversation, plan: Plan, message: Clause, tools: Sequence[Tool], language: Language
) -> Plan | None:
    if plan.calls or plan.talk or facts_in(message.text):
        return None
    wanted = {intent.tool.name for intent in plan.missing}
    intent = follow_up(earlier, message, tools, language, wanted)
    return _plan([intent]) if intent else None
