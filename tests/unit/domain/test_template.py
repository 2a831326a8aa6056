import tomllib

import pytest

from tests.fakes.template_source import SENTINEL, InMemoryTemplates
from zul.domain.errors import TemplateError
from zul.domain.plan import FileChange, FilePlan
from zul.domain.project_name import ProjectName
from zul.domain.template import plan_project


def planned(templates: InMemoryTemplates, name: str = "my-app") -> dict[str, FileChange]:
    plan = plan_project(templates.load("mini"), ProjectName(name), "1.2.3")
    return {change.path: change for change in plan.changes}


def test_the_name_replaces_the_sentinel_in_listed_files() -> None:
    assert planned(InMemoryTemplates())["pyproject.toml"].content == b'name = "my-app"\n'


def test_b127_braces_and_everything_else_survive_as_they_are() -> None:
    assert planned(InMemoryTemplates())["ci.yml"].content == b"${{ matrix.python }} {% raw %}\n"


def test_the_executable_bit_survives() -> None:
    assert planned(InMemoryTemplates())[".ci/run"].executable


def test_the_stamp_says_where_the_project_came_from() -> None:
    templates = InMemoryTemplates()
    stamp = tomllib.loads(planned(templates)[".zul.toml"].content.decode())
    digest = FilePlan(templates.files).digest
    assert stamp == {
        "template": {"name": "mini", "zul": "1.2.3", "digest": f"sha256:{digest}"},
        "project": {"name": "my-app"},
    }


def test_a_listed_file_that_is_missing_is_refused() -> None:
    templates = InMemoryTemplates(FileChange("a", b""), listed=frozenset({"b"}))
    with pytest.raises(TemplateError, match="'b'"):
        planned(templates)


def test_a_listed_file_without_the_sentinel_is_refused() -> None:
    templates = InMemoryTemplates(FileChange("a", b""), listed=frozenset({"a"}))
    with pytest.raises(TemplateError, match="'a'"):
        planned(templates)


def test_a_template_cannot_bring_the_stamp_itself() -> None:
    templates = InMemoryTemplates(FileChange(".zul.toml", b""), listed=frozenset())
    with pytest.raises(TemplateError):
        planned(templates)


def test_names_of_what_the_project_installs_are_taken() -> None:
    taken = InMemoryTemplates().load("mini").taken_names
    assert taken == {"langchain-core", "fastapi", "dotenv", SENTINEL}
