from pathlib import Path

import pytest

from tests.contracts.workspace_contract import Harness, WorkspaceContract
from tests.fakes.workspace import InMemoryWorkspace
from zul.application.ports.workspace import Workspace
from zul.domain.plan import FileChange, FilePlan
from zul.infrastructure.local_workspace import LocalWorkspace


class InMemoryHarness:
    def __init__(self) -> None:
        self._memory = InMemoryWorkspace()
        self.workspace: Workspace = self._memory

    def read(self, name: str) -> FilePlan:
        return self._memory.projects[name]


class LocalHarness:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace: Workspace = LocalWorkspace(folder)

    def read(self, name: str) -> FilePlan:
        root = self.folder / name
        return FilePlan(
            tuple(
                FileChange(
                    path.relative_to(root).as_posix(),
                    path.read_bytes(),
                    bool(path.stat().st_mode & 0o111),
                )
                for path in root.rglob("*")
                if path.is_file()
            )
        )


class TestInMemoryWorkspace(WorkspaceContract):
    @pytest.fixture
    def harness(self) -> Harness:
        return InMemoryHarness()


class TestLocalWorkspace(WorkspaceContract):
    @pytest.fixture
    def harness(self, tmp_path: Path) -> Harness:
        return LocalHarness(tmp_path)
