"""The repository's tasks. `python -m tasks VERB` does what `make VERB` does, on every system.

Runs on Python's standard library alone. How an environment is made, and what every verb shares,
is in the template's own `tasks.py`: a generated project and this repository start the same way.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent
TEMPLATE = ROOT / "src" / "zul" / "templates" / "hexa"
DEMO = ROOT / "build" / "demo"
DEMO_NAME = "my-app"
BENCHMARK_TYPES = Path("benchmarks", "mypy.ini")


def _load_template_tasks() -> Any:
    name = "template_tasks"
    spec = importlib.util.spec_from_file_location(name, TEMPLATE / "tasks.py")
    if spec is None or spec.loader is None:
        raise ImportError(TEMPLATE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their own module up there
    spec.loader.exec_module(module)
    return module


template = _load_template_tasks()


def _template_environment() -> Any:
    """Return the template's own environment; here its tests with optional tools run too."""
    return template.Environment(TEMPLATE, extras="dev,browser,openapi")


def setup(environment: Any, *_arguments: str) -> int:
    """Pasang alat repositori ini dan milik template, masing-masing di .venv sendiri."""
    environment.ensure()
    _template_environment().ensure()
    return 0


def check(environment: Any, *_arguments: str) -> int:
    """Periksa format, lint, arah impor, dan tipe: repositori ini, lalu template."""
    ours = template.check(environment)
    theirs = template.check(_template_environment())
    # They import the template, whose packages only its own environment has.
    benchmarks = _template_environment().run("mypy", "--config-file", str(ROOT / BENCHMARK_TYPES))
    return int(ours or theirs or benchmarks)


def test(environment: Any, *arguments: str) -> int:
    """Jalankan check, tes template di tempatnya, lalu tes repositori ini."""
    codes = [
        check(environment),
        _template_environment().run("python", "-m", "pytest"),
        environment.run("python", "-m", "pytest", *(arguments or ("--cov",))),
    ]
    return next(filter(None, codes), 0)


def bench(environment: Any, *arguments: str) -> int:
    """Ukur kecepatan terhadap pembanding; gagal hanya bila jauh melewati batas."""
    environment.ensure()
    project = _template_environment()
    project.ensure()
    command = ("-m", "benchmarks", "--python", str(project.python), *arguments)
    code: int = environment.run("python", *command)
    return code


def demo(_environment: Any, *_arguments: str) -> int:
    """Buat proyek contoh di build/demo, lalu jalankan dengan model offline."""
    project = DEMO / DEMO_NAME
    make_demo_project(project)
    print(f"Proyek contoh: {project.relative_to(ROOT)}", flush=True)
    code: int = template.dev(template.Environment(project))
    return code


def make_demo_project(project: Path) -> None:
    """Make the demo project, or keep it when the template has not changed since."""
    fresh = DEMO / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    made = fresh / DEMO_NAME
    build_project(made)
    if not project.exists() or _stamp(project) != _stamp(made):
        # The environment is kept: it is most of the time that a demo takes.
        if (project / ".venv").exists():
            (project / ".venv").rename(made / ".venv")
        shutil.rmtree(project, ignore_errors=True)
        made.rename(project)
    shutil.rmtree(fresh)


def build_project(project: Path) -> None:
    """Do what `zul build hexa` does, but for its command line: so nothing is to be installed."""
    sys.path.insert(0, str(ROOT / "src"))
    from zul import __version__  # noqa: PLC0415 - not on the path before
    from zul.application.use_cases.create_project import CreateProject  # noqa: PLC0415
    from zul.domain.errors import ZulError  # noqa: PLC0415
    from zul.infrastructure.local_workspace import LocalWorkspace  # noqa: PLC0415
    from zul.infrastructure.packaged_template import PackagedTemplate  # noqa: PLC0415

    use_case = CreateProject(PackagedTemplate(), LocalWorkspace(project.parent), __version__)
    try:
        use_case.execute(use_case.plan("hexa", project.name))
    except ZulError as error:
        raise template.TaskError(f"{error.cause}\n{error.hint}") from error


def _stamp(project: Path) -> str:
    stamp = project / ".zul.toml"
    return stamp.read_text(encoding="utf-8") if stamp.exists() else ""


def fix(environment: Any, *_arguments: str) -> int:
    """Rapikan format dan perbaiki yang bisa diperbaiki otomatis, juga di template."""
    return int(template.fix(environment) or template.fix(_template_environment()))


def clean(_environment: Any, *_arguments: str) -> int:
    """Hapus hasil build, cache, dan kedua .venv."""
    for folder in (ROOT, TEMPLATE):
        for name in (".venv", "build", "dist", "htmlcov", ".coverage"):
            _remove(folder / name)
        for cache in folder.glob(".*_cache"):
            _remove(cache)
    for cache in [*ROOT.glob("tests/**/__pycache__"), *ROOT.glob("src/**/__pycache__")]:
        _remove(cache)
    return 0


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


VERBS: dict[str, Callable[..., int]] = {
    verb.__name__: verb for verb in (setup, check, test, bench, demo, fix, clean)
}

if __name__ == "__main__":
    sys.exit(template.main(VERBS, ROOT, sys.argv[1:]))
