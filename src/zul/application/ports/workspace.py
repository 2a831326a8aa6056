from typing import Protocol

from zul.domain.plan import FilePlan
from zul.domain.project_name import ProjectName


class Workspace(Protocol):
    """The folder in which projects are made."""

    def check(self, name: ProjectName) -> None:
        """Refuse a name under which nothing can be made now.

        Raises `TargetExistsError` when anything has that name, a dangling link included, and
        `WorkspaceError` when the workspace itself is no usable folder.
        """
        ...

    def create(self, name: ProjectName, plan: FilePlan) -> None:
        """Make the project, all or nothing.

        Never replaces what exists, also when it appears during the call. Raises what `check`
        raises; after any exception, interrupts included, the workspace is as it was before.
        """
        ...
