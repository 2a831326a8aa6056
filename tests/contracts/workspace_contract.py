"""What every `Workspace` must do. A new one joins by giving `WorkspaceContract` its harness."""

from typing import Protocol

import pytest

from zul.application.ports.workspace import Workspace
from zul.domain.errors import TargetExistsError
from zul.domain.plan import FileChange, FilePlan
from zul.domain.project_name import ProjectName

NAME = ProjectName("my-app")
PLAN = FilePlan(
    (
        FileChange("a.txt", b"satu\n"),
        FileChange("deep/er/b.bin", bytes(range(256))),
        FileChange("deep/run", b"#!/bin/sh\r\n", executable=True),
        FileChange("empty", b""),
    )
)


class Harness(Protocol):
    workspace: Workspace

    def read(self, name: str) -> FilePlan: ...


class WorkspaceContract:
    @pytest.fixture
    def harness(self) -> Harness:
        raise NotImplementedError

    def test_a_project_holds_exactly_the_planned_bytes(self, harness: Harness) -> None:
        harness.workspace.create(NAME, PLAN)
        assert harness.read("my-app") == PLAN

    def test_a_free_name_is_fine(self, harness: Harness) -> None:
        harness.workspace.check(NAME)

    def test_a_taken_name_is_refused_and_left_alone(self, harness: Harness) -> None:
        harness.workspace.create(NAME, PLAN)
        with pytest.raises(TargetExistsError, match="Direktori 'my-app' sudah ada!"):
            harness.workspace.check(NAME)
        with pytest.raises(TargetExistsError):
            harness.workspace.create(NAME, FilePlan((FileChange("a.txt", b"dua"),)))
        assert harness.read("my-app") == PLAN

    def test_two_projects_live_side_by_side(self, harness: Harness) -> None:
        harness.workspace.create(NAME, PLAN)
        harness.workspace.create(ProjectName("other"), PLAN)
        assert harness.read("other") == harness.read("my-app")
