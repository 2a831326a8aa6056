import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from zul.application.ports.template_source import TemplateSource
from zul.domain.errors import TemplateError
from zul.domain.ignored import is_ignored
from zul.domain.plan import FileChange, FilePlan
from zul.domain.reserved_names import normalise
from zul.domain.template import Manifest, Template

_EXECUTABLE = 0o111
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


class PackagedTemplate(TemplateSource):
    """Reads templates from a folder of `<name>/` projects and `<name>.toml` manifests.

    Without a folder these are the ones inside the installed package, which makes zul work offline.
    """

    def __init__(self, folder: Traversable | None = None) -> None:
        self._folder = folder or files("zul") / "templates"

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


def _walk(folder: Traversable, prefix: str) -> Iterator[FileChange]:
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if is_ignored(path):
            continue
        if entry.is_dir():
            yield from _walk(entry, f"{path}/")
        else:
            yield FileChange(path, entry.read_bytes(), _is_executable(entry))


def _is_executable(entry: Traversable) -> bool:
    return isinstance(entry, Path) and bool(entry.stat().st_mode & _EXECUTABLE)


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
