from dataclasses import dataclass

from zul.application.ports.template_source import TemplateSource
from zul.application.ports.workspace import Workspace
from zul.domain.plan import FilePlan
from zul.domain.project_name import ProjectName
from zul.domain.template import plan_project


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    template: str
    name: ProjectName
    files: FilePlan


class CreateProject:
    """Make a project from a template.

    - The name follows one rule on every system, and it is judged before anything else.
    - Everything is decided first (`plan`), then written in one go (`execute`).
    - What exists is never touched, and a failure leaves no trace.
    """

    def __init__(self, templates: TemplateSource, workspace: Workspace, zul_version: str) -> None:
        self._templates = templates
        self._workspace = workspace
        self._zul_version = zul_version

    def plan(self, template: str, raw_name: str) -> ProjectPlan:
        """Decide every file; raises a `ZulError` for whatever stands in the way already."""
        source = self._templates.load(template)
        name = ProjectName.parse(raw_name, source.taken_names)
        self._workspace.check(name)
        return ProjectPlan(template, name, plan_project(source, name, self._zul_version))

    def execute(self, plan: ProjectPlan) -> None:
        """Write the planned files; raises what `Workspace.create` raises."""
        self._workspace.create(plan.name, plan.files)
