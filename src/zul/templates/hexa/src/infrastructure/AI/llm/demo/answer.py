"""Answers a conversation: the next calls, or the text that ends the turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from src.infrastructure.AI.llm.demo.conversation import Conversation, Round, call_id
from src.infrastructure.AI.llm.demo.follow_up import asks_back
from src.infrastructure.AI.llm.demo.outcomes import bare_results, describe, outcome_of
from src.infrastructure.AI.llm.demo.planning import (
    Plan,
    PlannedCall,
    forced_plan,
    language_of,
    make_plan,
    result_call,
)
from src.infrastructure.AI.llm.demo.replies import ask_for, without_tools
from src.infrastructure.AI.llm.demo.schema import Tool

_FORCING = frozenset({"any", "required"})


@dataclass(frozen=True, slots=True)
class Answer:
    """The text and the calls of one message of the model."""

    text: str = ""
    calls: tuple[PlannedCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """Everything the model may look at."""

    conversation: Conversation
    tools: Sequence[Tool] = field(default_factory=tuple)
    tool_choice: str = ""
    in_parallel: bool = True


def answer(request: Request) -> Answer:
    """Return the next message of the model: calls while the plan has more stages than were run."""
    plan = _plan_of(request)
    rounds = request.conversation.turns[-1].rounds if request.conversation.turns else []
    calls = _calls_of_round(request, plan, len(rounds))
    if calls:
        return Answer(calls=tuple(calls))
    if rounds:
        return Answer(_report(request, plan, rounds))
    return Answer(
        without_tools(request.conversation, plan, request.tools, language_of(request.conversation))
    )


def _plan_of(request: Request) -> Plan:
    if request.tool_choice == "none":
        return Plan()
    plan = make_plan(request.conversation, request.tools)
    named = next((tool for tool in request.tools if tool.name == request.tool_choice), None)
    if named and any(call.name != named.name for call in plan.calls):
        plan = Plan()
    must_call = named is not None or request.tool_choice in _FORCING
    if must_call and request.tools and not plan.calls:
        return forced_plan(request.conversation, request.tools, named)
    return plan


def _calls_of_round(request: Request, plan: Plan, number: int) -> Sequence[PlannedCall]:
    """Return what the model asks for in a round of the turn; nothing when it is time to answer."""
    stages: list[Sequence[PlannedCall]] = [plan.calls] if plan.calls else []
    if not request.in_parallel:
        stages = [[call] for call in plan.calls]
    if number < len(stages):
        return stages[number]
    return _calls_on_results(request, plan) if stages and number == len(stages) else []


def _calls_on_results(request: Request, plan: Plan) -> list[PlannedCall]:
    calls = request.conversation.turns[-1].calls
    if not plan.later or any(outcome_of(call) != "done" or asks_back(call) for call in calls):
        return []
    results = bare_results(calls[: len(plan.calls)])
    language = language_of(request.conversation)
    return [
        call for tool, clause in plan.later for call in result_call(tool, clause, results, language)
    ]


def _report(request: Request, plan: Plan, rounds: Sequence[Round]) -> str:
    language = language_of(request.conversation)
    lines = []
    for number, made in enumerate(rounds):
        expected = dict(_with_ids(made.digest, _calls_of_round(request, plan, number)))
        lines += [
            describe(call, expected.get(call.id), request.tools, language) for call in made.calls
        ]
    if plan.missing:
        lines.append(ask_for(plan.missing, language))
    return "\n".join(lines)


def _with_ids(digest: str, calls: Sequence[PlannedCall]) -> list[tuple[str, PlannedCall]]:
    return [(call_id(digest, number), call) for number, call in enumerate(calls)]
