import keyword
import string
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zul.domain.errors import EmptyNameError, InvalidNameError
from zul.domain.project_name import (
    DEFAULT_NAME,
    MAX_LENGTH,
    NAME_RULE,
    ProjectName,
    suggested_name,
)
from zul.domain.reserved_names import normalise

TAKEN = frozenset({"fastapi", "langgraph", "langchain-core"})

ALLOWED = [
    "my-hexa-project", "a", "Z", "a1", "My_App.v2", "x" * MAX_LENGTH, "a--b", "a.b_c-d",
    "emailer", "class1", "console", "com10x", "lpt", "True1", "UPPER",
]  # fmt: skip

MODULES_AND_KEYWORDS = [
    "email", "json", "types", "class", "import", "async", "test", "langgraph", "fastapi", "match",
    "None", "true", "Email", "JSON", "sre_parse", "sre-parse", "distutils", "tomllib", "lib2to3",
    "annotationlib", "langchain_core", "LangChain.Core", "src", "tests", "zul", "zulkit", "tasks",
    "main", "pip", "yes", "No", "null", "site-packages", "site_packages",
]  # fmt: skip

NOT_ASCII = ["東京", "🎂", "Météo", "projék", "naïve", "a\u200bb", "\uff41\uff42", "x\u0301"]

PATHS = [
    "../x", "a/b",
    "/opt/x", "..\\x", "C:\\x", "C:x", "~/x", "~", ".", "..", "a/../b", "\\\\host\\x",
]  # fmt: skip

DASHES = ["-x", "--yes", "---", "-", "--"]

DEVICES_AND_EDGES = [
    "con", "CON", "aux", "nul", "prn", "com1", "LPT9", "com0", "con.app", "Nul.txt.gz", "x.", "x ",
    " x", "x-", "x_", ".x", "_x", "1x", "x" * (MAX_LENGTH + 1), "x" * 200, "a b", "a\nb", "a\n",
    "a\tb",
    "a\0b", "a$b", "a'b", 'a"b', "a;b", "a&b", "a*b", "a:b", "\x1b[31mred", "{{a}}", "a\udc80",
]  # fmt: skip


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed_names_stay_as_they_are(name: str) -> None:
    assert ProjectName.parse(name, TAKEN).value == name


@pytest.mark.parametrize("name", ["", " ", "   ", "\t", "\n", "\u3000"])
def test_empty_and_blank_names_are_refused_with_their_own_text(name: str) -> None:
    with pytest.raises(EmptyNameError, match=r"^Nama proyek tidak boleh kosong!$") as refusal:
        ProjectName.parse(name)
    assert refusal.value.hint == f"{NAME_RULE}\nMisalnya: --name {DEFAULT_NAME}"


@pytest.mark.parametrize(
    "name", MODULES_AND_KEYWORDS + NOT_ASCII + PATHS + DASHES + DEVICES_AND_EDGES
)
def test_refusals_spell_out_the_rule(name: str) -> None:
    with pytest.raises(InvalidNameError) as refusal:
        ProjectName.parse(name, TAKEN)
    assert refusal.value.cause.startswith("Nama proyek ")
    rule, example = refusal.value.hint.splitlines()
    assert rule == NAME_RULE
    assert example == f"Misalnya: --name {suggested_name(name, TAKEN)}"
    assert refusal.value.cause.isprintable()


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("My App!", "my-app"),
        ("MyApp", "MyApp"),
        ("Météo", "meteo"),
        ("../x", "x"),
        ("a/b", "a-b"),
        ("1st try", "st-try"),
        ("--yes", "yes-app"),
        ("con.txt", "con-txt"),
        ("email", "email-app"),
        ("LangChain.Core", "langchain-core-app"),
        ("東京", DEFAULT_NAME),
        ("---", DEFAULT_NAME),
        ("x" * 200, "x" * (MAX_LENGTH - len("-app"))),
    ],
)
def test_the_suggestion_is_close_to_what_was_typed(raw: str, name: str) -> None:
    assert suggested_name(raw, TAKEN) == name


@given(st.text(max_size=80))
def test_whatever_is_suggested_is_allowed(raw: str) -> None:
    name = suggested_name(raw, TAKEN)
    assert ProjectName.parse(name, TAKEN).value == name


def test_every_module_and_keyword_of_this_python_is_refused() -> None:
    names = {*sys.stdlib_module_names, *keyword.kwlist, *keyword.softkwlist}
    for name in sorted(names):
        with pytest.raises(InvalidNameError):
            ProjectName.parse(name)


@given(st.text(max_size=80))
def test_whatever_is_accepted_is_a_safe_folder_and_distribution_name(raw: str) -> None:
    try:
        name = ProjectName.parse(raw).value
    except InvalidNameError:
        return
    assert name == raw
    assert set(name) <= set(string.ascii_letters + string.digits + "-_.")
    assert name[0].isalpha()
    assert name[-1].isalnum()
    assert len(name) <= MAX_LENGTH
    assert normalise(name).strip("-")
