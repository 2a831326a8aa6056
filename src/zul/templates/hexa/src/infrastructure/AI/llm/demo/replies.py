"""What the demo model says where no tool speaks: greetings, help, questions, memory."""

from collections.abc import Mapping, Sequence

from src.infrastructure.AI.llm.demo.capabilities import capabilities
from src.infrastructure.AI.llm.demo.conversation import Conversation
from src.infrastructure.AI.llm.demo.extraction import Intent
from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.memory import (
    asked_fact,
    asks_about_past,
    asks_for_place,
    facts_in,
    known_facts,
    last_place,
)
from src.infrastructure.AI.llm.demo.planning import Plan
from src.infrastructure.AI.llm.demo.roles import role_of
from src.infrastructure.AI.llm.demo.schema import Parameter, Tool

_SAY: Mapping[Language, Mapping[str, str]] = {
    "id": {
        "intro": "Saya model demo luring: tanpa kunci API, hanya paham permintaan sederhana.",
        "switch": "Untuk model sungguhan, isi `LLM_MODEL` dan kunci API-nya di `.env`.",
        "greeting": "Halo{name}! {intro}\n\n{capabilities}",
        "help": "{intro}\n\n{capabilities}\n\n{switch}",
        "who_are_you": "{intro} {switch}",
        "how_are_you": "Baik, terima kasih! {intro}\n\n{capabilities}",
        "thanks": "Sama-sama{name}! Ada lagi yang bisa saya bantu?",
        "noted": "Baik{name}. Ada lagi yang bisa saya bantu?",
        "goodbye": "Sampai jumpa{name}!",
        "cancel": "Baik, tidak saya lanjutkan.",
        "refusal": "Baik, itu tidak saya lakukan.",
        "unknown": "Maaf, saya tidak bisa menjawab itu. {intro} {switch}\n\n{capabilities}",
        "fact": "Baik{name}, saya ingat: {facts}.",
        "fact_item": "{label} Anda {value}",
        "recall": "Tadi Anda bilang: {label} Anda {value}.",
        "recall_home": "Anda tadi bilang tinggal di {value}.",
        "no_fact": "Anda belum menyebutkannya di percakapan ini.",
        "place": "Anda terakhir bertanya tentang {place}.",
        "request": "Permintaan Anda sebelumnya: “{request}”",
        "no_past": "Belum ada permintaan sebelumnya di percakapan ini.",
        "missing": "Untuk menjalankan `{tool}` saya masih perlu {names}. Apa isinya?",
        "and": " dan ",
        "home": "kota",
    },
    "en": {
        "intro": "I am the offline demo model: no API key, and I only understand simple requests.",
        "switch": "For a real model, set `LLM_MODEL` and its API key in `.env`.",
        "greeting": "Hello{name}! {intro}\n\n{capabilities}",
        "help": "{intro}\n\n{capabilities}\n\n{switch}",
        "who_are_you": "{intro} {switch}",
        "how_are_you": "I am fine, thank you! {intro}\n\n{capabilities}",
        "thanks": "You are welcome{name}! Is there anything else?",
        "noted": "All right{name}. Is there anything else?",
        "goodbye": "Goodbye{name}!",
        "cancel": "All right, I will not go on with it.",
        "refusal": "All right, I will not do that.",
        "unknown": "Sorry, I cannot answer that. {intro} {switch}\n\n{capabilities}",
        "fact": "All right{name}, I will remember: {facts}.",
        "fact_item": "your {label} is {value}",
        "recall": "You told me: your {label} is {value}.",
        "recall_home": "You told me that you live in {value}.",
        "no_fact": "You have not told me that in this conversation.",
        "place": "You last asked about {place}.",
        "request": "Your previous request: “{request}”",
        "no_past": "There is no earlier request in this conversation.",
        "missing": "To run `{tool}` I still need {names}. What should it be?",
        "and": " and ",
        "home": "city",
    },
}


def without_tools(
    conversation: Conversation, plan: Plan, tools: Sequence[Tool], language: Language
) -> str:
    """Return the answer to a message that leads to no call."""
    if plan.missing:
        return ask_for(plan.missing, language)
    request = conversation.turns[-1].request if conversation.turns else ""
    if plan.talk:
        return _say(plan.talk, conversation, tools, language)
    if asks_about_past(request):
        return _past(conversation.before_last(), request, tools, language)
    concept = asked_fact(request)
    if concept:
        return _recalled(conversation, concept, language)
    if facts_in(request):
        return _remembered(conversation, request, tools, language)
    return _say("unknown", conversation, tools, language)


def ask_for(missing: Sequence[Intent], language: Language) -> str:
    """Return the question for the arguments that are still missing."""
    return "\n".join(_question(intent, language) for intent in missing)


def _question(intent: Intent, language: Language) -> str:
    names = [_shown_parameter(parameter) for parameter in _worth_asking(intent.missing)]
    listed = _SAY[language]["and"].join(
        [", ".join(names[:-1]), names[-1]] if len(names) > 1 else names
    )
    return _SAY[language]["missing"].format(tool=intent.tool.name, names=listed)


def _worth_asking(missing: Sequence[Parameter]) -> Sequence[Parameter]:
    """Leave out titles when the text is asked for as well: they are made from it."""
    roles = {role_of(parameter) for parameter in missing}
    return [p for p in missing if role_of(p) != "title" or "content" not in roles]


def _shown_parameter(parameter: Parameter) -> str:
    if parameter.enum:
        return f"`{parameter.name}` ({' / '.join(str(value) for value in parameter.enum)})"
    description = parameter.description.split("\n")[0].strip().rstrip(".")
    return f"`{parameter.name}` ({description[:80]})" if description else f"`{parameter.name}`"


def _say(
    key: str, conversation: Conversation, tools: Sequence[Tool], language: Language, **values: str
) -> str:
    say = _SAY[language]
    name = known_facts(conversation).get("name")
    return say[key].format(
        intro=say["intro"],
        switch=say["switch"],
        capabilities=capabilities(tools, language),
        name=f", {name[1]}" if name else "",
        **values,
    )


def _recalled(conversation: Conversation, concept: str, language: Language) -> str:
    say = _SAY[language]
    fact = known_facts(conversation).get(concept)
    if fact is None:
        return say["no_fact"]
    if concept == "home":
        return say["recall_home"].format(value=fact[1])
    return say["recall"].format(label=_label(fact[0], language), value=fact[1])


def _label(label: str, language: Language) -> str:
    return (
        {"name": "nama", "home": "kota"}.get(label, label)
        if language == "id"
        else {"home": "city"}.get(label, label)
    )


def _remembered(
    conversation: Conversation, request: str, tools: Sequence[Tool], language: Language
) -> str:
    say = _SAY[language]
    items = [
        say["fact_item"].format(label=_label(label, language), value=value)
        for label, value in facts_in(request).values()
    ]
    return _say("fact", conversation, tools, language, facts="; ".join(items))


def _past(earlier: Conversation, request: str, tools: Sequence[Tool], language: Language) -> str:
    say = _SAY[language]
    place = last_place(earlier, tools) if asks_for_place(request) else None
    if place:
        return say["place"].format(place=place)
    return (
        say["request"].format(request=earlier.turns[-1].request)
        if earlier.turns
        else say["no_past"]
    )
