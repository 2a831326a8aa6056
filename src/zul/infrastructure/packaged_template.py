import os
import re
import tomllib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

from zul.application.ports.template_source import TemplateSource
from zul.domain.errors import TemplateError
from zul.domain.ignored import is_ignored
from zul.domain.plan import FileChange, FilePlan
from zul.domain.reserved_names import normalise
from zul.domain.template import Manifest, Template

_EXECUTABLE = 0o111
# Not through `importlib.resources`: importing that takes as long as reading half of a template.
_PACKAGED = Path(__file__).parents[1] / "templates"
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


class PackagedTemplate(TemplateSource):
    """Reads templates from a folder of `<name>/` projects and `<name>.toml` manifests.

    Without a folder these are the ones inside the installed package, which makes zul work offline.
    """

    def __init__(self, folder: Path = _PACKAGED) -> None:
        self._folder = folder

    def load(self, name: str) -> Template:
        try:
            return self._load(name)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise TemplateError(f"Template {name} tidak bisa dibaca: {error!r}") from error

    def _load(self, name: str) -> Template:
        manifest = tomllib.loads(self._folder.joinpath(f"{name}.toml").read_text("utf-8"))
        changes = FilePlan(tuple(_walk(self._folder / name, "")))
        return Template(
            name=name,
            manifest=Manifest(
                sentinel=manifest["sentinel"],
                files=frozenset(manifest["files"]),
                stamp=manifest["stamp"],
                reserved=frozenset(map(normalise, manifest["reserved"])),
            ),
            files=changes,
            distributions=_distributions(changes),
        )


def _walk(folder: str | Path, prefix: str) -> Iterator[FileChange]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if is_ignored(path):
                continue
            if entry.is_dir():
                yield from _walk(entry.path, f"{path}/")
            else:
                yield _read(entry.path, path)


def _read(place: str, path: str) -> FileChange:
    # Unbuffered: there are hundreds of small files, each read in one go.
    with FileIO(place) as file:
        executable = bool(os.fstat(file.fileno()).st_mode & _EXECUTABLE)
        return FileChange(path, file.readall(), executable)


def _distributions(plan: FilePlan) -> frozenset[str]:
    """Names of everything the template installs: what it asks for, and what that brings along."""
    texts = {change.path: change.content.decode() for change in plan.changes if _declares(change)}
    project: dict[str, Any] = tomllib.loads(texts["pyproject.toml"])
    declared = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in project["project"].get("optional-dependencies", {}).values():
        declared += extra
    declared += texts["constraints.txt"].splitlines()
    found = (_REQUIREMENT.match(line) for line in declared)
    return frozenset(normalise(match.group(1)) for match in found if match)


def _declares(change: FileChange) -> bool:
    return change.path in {"pyproject.toml", "constraints.txt"}
