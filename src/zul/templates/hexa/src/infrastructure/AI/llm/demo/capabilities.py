"""Lists what the bound tools can do, each with a sentence that the demo model understands."""

from collections.abc import Mapping, Sequence

from src.infrastructure.AI.llm.demo.language import Language
from src.infrastructure.AI.llm.demo.roles import direction_of, role_of
from src.infrastructure.AI.llm.demo.schema import Parameter, Tool
from src.infrastructure.AI.llm.demo.text import words_of_name
from src.infrastructure.AI.llm.demo.vocabulary import canonical, display_word

_HEADING: Mapping[Language, tuple[str, str]] = {
    "id": (
        "Yang bisa saya lakukan di sini:",
        "Di sini tidak ada tool yang terpasang; saya hanya bisa mengobrol sedikit.",
    ),
    "en": ("What I can do here:", "No tools are bound here; I can only chat a little."),
}
_EXAMPLE: Mapping[Language, str] = {"id": "Contoh", "en": "Example"}
_TASKS: Mapping[str, tuple[str, str]] = {
    "weather": ("Cuaca di Jakarta", "Weather in Jakarta"),
    "email": (
        "Kirim email ke alice@example.com dengan subjek 'Rapat' isi 'Jam 10 ya'",
        "Send an email to alice@example.com with subject 'Meeting' and body 'At 10, please'",
    ),
    "calculate": ("Hitung 12 * 7", "Calculate 12 * 7"),
}
_SAMPLES: Mapping[str, tuple[str, str]] = {
    "date": ("2025-12-31", "2025-12-31"),
    "time": ("10:00", "10:00"),
    "timezone": ("UTC", "UTC"),
    "url": ("https://example.com", "https://example.com"),
    "expression": ("12 * 7", "12 * 7"),
    "code": ("ORD-123", "ORD-123"),
    "person": ("Budi", "Budi"),
    "content": ("'Jam 10 ya'", "'At 10, please'"),
    "title": ("'Rapat'", "'Meeting'"),
    "query": ("'cara memulai'", "'how to start'"),
    "string": ("'contoh'", "'sample'"),
    "place": ("Jakarta", "Jakarta"),
    "email": ("alice@example.com", "alice@example.com"),
    "boolean": ("ya", "yes"),
}
_NUMBERS = ("2", "3", "5", "7")


def capabilities(tools: Sequence[Tool], language: Language) -> str:
    """Return one line for each tool: its name, its description and a sentence to try."""
    heading, nothing = _HEADING[language]
    if not tools:
        return nothing
    return "\n".join([heading, *(_line(tool, language) for tool in tools)])


def _line(tool: Tool, language: Language) -> str:
    summary = tool.description.strip().split("\n")[0].strip()
    about = f": {summary.rstrip('.')}." if summary else "."
    return f"- `{tool.name}`{about} {_EXAMPLE[language]}: “{example_for(tool, language)}”"


def example_for(tool: Tool, language: Language) -> str:
    """Return a sentence that asks for `tool` and gives everything it requires."""
    indonesian = language == "id"
    required = tool.required
    task = _task(tool, indonesian=indonesian)
    if task and (
        not required
        or (len(required) == 1 and role_of(required[0]) in ("query", "place", "expression"))
    ):
        return task
    if task and {role_of(p) for p in required} == {"email", "title", "content"}:
        return task
    parts = [_argument(p, number, indonesian=indonesian) for number, p in enumerate(required)]
    return (
        ", ".join([_wish(tool, indonesian=indonesian), *parts])
        if parts
        else _wish(tool, indonesian=indonesian)
    )


def _task(tool: Tool, *, indonesian: bool) -> str:
    tasks = [_TASKS[concept] for concept in _TASKS if concept in tool.name_concepts]
    return tasks[0][0 if indonesian else 1] if tasks else ""


def _wish(tool: Tool, *, indonesian: bool) -> str:
    words = words_of_name(tool.name)
    said = [display_word(canonical(word), indonesian=indonesian) for word in words]
    sentence = " ".join(said)
    return sentence[:1].upper() + sentence[1:]


def _argument(parameter: Parameter, number: int, *, indonesian: bool) -> str:
    if role_of(parameter) == "object":
        children = [child for child in parameter.children() if child.required]
        return ", ".join(_argument(c, n, indonesian=indonesian) for n, c in enumerate(children))
    return f"{parameter.name}={_sample(parameter, number, indonesian=indonesian)}"


def _sample(parameter: Parameter, number: int, *, indonesian: bool) -> str:
    role = role_of(parameter)
    if role == "enum":
        return str(parameter.enum[0])
    if role == "number":
        return _NUMBERS[number % len(_NUMBERS)]
    if role == "list":
        return _sample(parameter.item(), number, indonesian=indonesian)
    if role == "currency":
        return "IDR" if direction_of(parameter) == "to" else "USD"
    return _SAMPLES.get(role, ("{}", "{}"))[0 if indonesian else 1]
