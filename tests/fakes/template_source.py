from zul.application.ports.template_source import TemplateSource
from zul.domain.errors import TemplateError
from zul.domain.plan import FileChange, FilePlan
from zul.domain.template import Manifest, Template

SENTINEL = "the-sentinel"


class InMemoryTemplates(TemplateSource):
    """One tiny template called `mini`."""

    def __init__(self, *files: FileChange, listed: frozenset[str] | None = None) -> None:
        self.files = files or (
            FileChange("pyproject.toml", f'name = "{SENTINEL}"\n'.encode()),
            FileChange("ci.yml", b"${{ matrix.python }} {% raw %}\n"),
            FileChange(".ci/run", b"#!/bin/sh\n", executable=True),
        )
        self.listed = frozenset({"pyproject.toml"}) if listed is None else listed

    def load(self, name: str) -> Template:
        if name != "mini":
            raise TemplateError(f"Template {name} tidak ada.")
        return Template(
            name=name,
            manifest=Manifest(SENTINEL, self.listed, ".zul.toml", frozenset({"dotenv"})),
            files=FilePlan(self.files),
            distributions=frozenset({"langchain-core", "fastapi"}),
        )
