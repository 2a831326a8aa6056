import pytest

from tests.fakes.template_source import InMemoryTemplates
from tests.fakes.workspace import InMemoryWorkspace
from zul.application.use_cases.create_project import CreateProject
from zul.domain.errors import InvalidNameError, TargetExistsError, TemplateError, ZulError


def use_case(workspace: InMemoryWorkspace) -> CreateProject:
    return CreateProject(InMemoryTemplates(), workspace, "1.2.3")


def test_the_plan_is_what_gets_written() -> None:
    workspace = InMemoryWorkspace()
    plan = use_case(workspace).plan("mini", "my-app")
    assert workspace.projects == {}
    use_case(workspace).execute(plan)
    assert workspace.projects == {"my-app": plan.files}
    assert plan.files.paths == (".ci/run", ".zul.toml", "ci.yml", "pyproject.toml")


@pytest.mark.parametrize("name", ["fastapi", "langchain_core", "dotenv", "the-sentinel", "", "a/b"])
def test_a_name_that_cannot_be_a_project_is_refused(name: str) -> None:
    workspace = InMemoryWorkspace()
    with pytest.raises(InvalidNameError):
        use_case(workspace).plan("mini", name)
    assert workspace.projects == {}


def test_an_existing_target_is_refused_before_and_after_planning() -> None:
    workspace = InMemoryWorkspace()
    plan = use_case(workspace).plan("mini", "my-app")
    use_case(workspace).execute(plan)
    before = dict(workspace.projects)
    for attempt in (
        lambda: use_case(workspace).plan("mini", "my-app"),
        lambda: use_case(workspace).execute(plan),
    ):
        with pytest.raises(TargetExistsError):
            attempt()
    assert workspace.projects == before


def test_an_unknown_template_is_refused() -> None:
    with pytest.raises(TemplateError) as refusal:
        use_case(InMemoryWorkspace()).plan("other", "my-app")
    assert isinstance(refusal.value, ZulError)
