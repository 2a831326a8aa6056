import os
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from zul import __version__
from zul.application.use_cases.create_project import CreateProject, ProjectPlan
from zul.domain.errors import ZulError
from zul.domain.project_name import DEFAULT_NAME
from zul.infrastructure.local_workspace import LocalWorkspace
from zul.infrastructure.packaged_template import PackagedTemplate
from zul.interface.cli import exit_codes
from zul.interface.cli.answers import Answers
from zul.interface.cli.build_request import BuildRequest
from zul.interface.cli.console import Console

TEMPLATE = "hexa"

_LISTED_DEPTH = 2


def run(request: BuildRequest, console: Console) -> int:
    """Run the command; the exit code is the outcome."""
    try:
        return _build(request, console, Answers(console, request.missing))
    except ZulError as error:
        console.refuse(error)
        return exit_codes.REFUSED


def _build(request: BuildRequest, console: Console, answers: Answers) -> int:
    use_case = CreateProject(PackagedTemplate(), LocalWorkspace(request.folder), __version__)
    name = request.name
    if name is None:
        name = answers.text("Masukkan nama proyek:", DEFAULT_NAME)
    plan = use_case.plan(TEMPLATE, name)
    if request.dry_run:
        console.result("\n".join(plan.files.paths))
        return exit_codes.OK
    if not request.yes and not answers.confirm(f"Buat proyek '{plan.name}' ({TEMPLATE})?"):
        console.note("❌ Dibatalkan")
        return exit_codes.OK
    use_case.execute(plan)
    console.result("\n".join(_report(plan, request.folder)))
    return exit_codes.OK


def _report(plan: ProjectPlan, folder: Path) -> Iterator[str]:
    yield f"✅ Proyek HEXA '{plan.name}' berhasil dibuat!"
    yield ""
    yield f"Isi proyek ({len(plan.files.changes)} berkas):"
    yield from _listing(plan.files.paths)
    yield ""
    yield "Langkah berikutnya:"
    yield f"  cd {_quoted(str(folder / plan.name.value))}"
    yield "  make dev"
    yield ""
    yield "Tanpa make: python -m tasks dev"


def _listing(paths: tuple[str, ...]) -> Iterator[str]:
    """Name each file near the top and count what lies in the folders below."""
    places = (path.split("/") for path in paths)
    tops = Counter(
        "/".join(place[:_LISTED_DEPTH]) + ("/" if len(place) > _LISTED_DEPTH else "")
        for place in places
    )
    for top, count in tops.items():
        yield f"  {top}" + (f" ({count} berkas)" if top.endswith("/") else "")


def _quoted(path: str) -> str:
    if os.name == "nt":  # pragma: no cover (cmd and PowerShell both take double quotes)
        return f'"{path}"' if " " in path else path
    return shlex.quote(path)
