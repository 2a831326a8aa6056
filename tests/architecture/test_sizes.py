"""Modules and functions stay small: a longer module says here why."""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT

SOURCES = ROOT / "src" / "zul"
TEMPLATE = SOURCES / "templates" / "hexa" / "src"
MODULES = sorted(
    path
    for path in SOURCES.rglob("*.py")
    if (path.is_relative_to(TEMPLATE) or not path.is_relative_to(SOURCES / "templates"))
    and "versions" not in path.parts  # migrations: written once, never changed
)

LARGEST_MODULE = 150
LARGEST_FUNCTION = 25
LARGEST_EXCEPTION = 200

LONG_MODULES = {
    "human_in_the_loop_nodes.py": "holds the names that a project promises in this one place",
    "tool_node.py": "holds the rules by which a call runs, to be read together",
    "turns.py": "holds the order in which a turn is judged, to be read together",
    "conversation_saver.py": "is one class, because LangGraph's interface is one",
    "state_rows.py": "is one class: what belongs to a state changes in one transaction",
}
OF_RULES_AND_WORDS = TEMPLATE / "infrastructure" / "AI" / "llm" / "demo"
"""The offline model: lists of words and of rules, which nobody reads from front to back."""

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines_of_code(text: str) -> set[int]:
    """The lines that are neither blank nor comments nor docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(lines_in(node))
    return lines


def lines_in(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def bodies(text: str) -> Iterator[tuple[str, set[int]]]:
    """The lines of each function's body, without those of functions inside it."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, _Function):
            lines = {line for statement in function.body for line in lines_in(statement)}
            for inner in ast.walk(function):
                if isinstance(inner, _Function) and inner is not function:
                    lines.difference_update(lines_in(inner))
            yield function.name, lines


def test_there_are_modules_to_measure() -> None:
    assert len(MODULES) > 100
    assert lines_of_code('"""Doc."""\n# why\n\nx = (\n    1\n)\n') == {4, 5, 6}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_a_module_and_its_functions_are_small(path: Path) -> None:
    text = path.read_text("utf-8")
    code = lines_of_code(text)
    is_exception = path.name in LONG_MODULES or path.is_relative_to(OF_RULES_AND_WORDS)
    assert len(code) <= (LARGEST_EXCEPTION if is_exception else LARGEST_MODULE)
    sizes = {name: len(lines & code) for name, lines in bodies(text)}
    assert [name for name, size in sizes.items() if size > LARGEST_FUNCTION] == []


def test_exceptions_are_needed() -> None:
    long = {p.name for p in MODULES if len(lines_of_code(p.read_text("utf-8"))) > LARGEST_MODULE}

    assert LONG_MODULES.keys() <= long
