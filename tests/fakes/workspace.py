from zul.application.ports.workspace import Workspace
from zul.domain.errors import TargetExistsError
from zul.domain.plan import FilePlan
from zul.domain.project_name import ProjectName


class InMemoryWorkspace(Workspace):
    def __init__(self) -> None:
        self.projects: dict[str, FilePlan] = {}

    def check(self, name: ProjectName) -> None:
        if name.value in self.projects:
            raise TargetExistsError(name.value)

    def create(self, name: ProjectName, plan: FilePlan) -> None:
        self.check(name)
        self.projects[name.value] = plan
