from collections.abc import Iterable
from dataclasses import dataclass, replace

from zul.domain.errors import TemplateError
from zul.domain.plan import FileChange, FilePlan
from zul.domain.project_name import ProjectName


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a template says about itself.

    The template is a real project that carries the name `sentinel`; `files` is the closed list of
    files in which that name gives way to the project's own. Nothing else is ever substituted, so
    braces and dollar signs in workflows, prompts and pages survive as they are.
    """

    sentinel: str
    files: frozenset[str]
    stamp: str
    reserved: frozenset[str]


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    manifest: Manifest
    files: FilePlan
    distributions: frozenset[str]

    @property
    def taken_names(self) -> frozenset[str]:
        """Normalised names a project of this template cannot have."""
        manifest = self.manifest
        return self.distributions | manifest.reserved | {manifest.sentinel}


def plan_project(template: Template, name: ProjectName, zul_version: str) -> FilePlan:
    """Decide every file of the project `name`; touches no disk.

    Raises `TemplateError` when the manifest and the files disagree.
    """
    manifest = template.manifest
    missing = manifest.files.difference(template.files.paths)
    if missing:
        raise TemplateError(f"Template {template.name} tidak lengkap: {sorted(missing)}.")
    changes = _rendered(template.files.changes, manifest, name)
    return FilePlan((*changes, _stamp(template, name, zul_version)))


def _rendered(
    changes: Iterable[FileChange], manifest: Manifest, name: ProjectName
) -> Iterable[FileChange]:
    sentinel = manifest.sentinel.encode()
    for change in changes:
        if change.path not in manifest.files:
            yield change
        elif sentinel in change.content:
            yield replace(change, content=change.content.replace(sentinel, name.value.encode()))
        else:
            raise TemplateError(f"Berkas template {change.path!r} tidak memuat nama proyek.")


def _stamp(template: Template, name: ProjectName, zul_version: str) -> FileChange:
    # A later upgrade is a three-way merge. Version and name rebuild the base of that merge, and
    # the digest proves that the rebuilt base is the one this project came from.
    lines = (
        "# Written by zul and read by its upgrades: keep this file.",
        "[template]",
        f'name = "{template.name}"',
        f'zul = "{zul_version}"',
        f'digest = "sha256:{template.files.digest}"',
        "",
        "[project]",
        f'name = "{name}"',
        "",
    )
    return FileChange(template.manifest.stamp, "\n".join(lines).encode())
