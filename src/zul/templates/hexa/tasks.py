"""The project's tasks. `python -m tasks VERB` does what `make VERB` does, on every system.

Runs on Python's standard library alone: it makes the environment `.venv` itself and starts
everything else from there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent
HOST = "127.0.0.1"
PORT = 8000
PORTS_TRIED = 50
START_TIMEOUT_S = 60
OLDEST_PYTHON = (3, 11)
INTERRUPTED = 130
SIGN_OF_LIFE_S = 10


class TaskError(Exception):
    """A task cannot go on; the text says why, and the way out."""


@dataclass(frozen=True)
class Environment:
    """The `.venv` of the project at `root`, with the project and some of its extras installed.

    uv makes it when it is on PATH, else Python's own venv and pip do.

    Args:
        root: the project's folder.
        extras: which of the project's optional extras are needed, separated by commas.
    """

    root: Path
    extras: str = "dev"

    @property
    def folder(self) -> Path:
        """Where the environment lies."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self._tool("python.exe" if os.name == "nt" else "python")

    def ensure(self) -> None:
        """Install what is missing; does nothing while the project's requirements stay the same."""
        stamp = self.folder / ".tasks-installed"
        root, state, installed = (_text(stamp).splitlines() + [""] * 3)[:3]
        missing = _names(self.extras) - _names(installed)
        if self.python.exists() and (root, state) == self._state() and not missing:
            return
        # A moved project has to start afresh: an environment remembers its own place.
        if root not in {"", str(self.root)}:
            shutil.rmtree(self.folder)
            installed = ""
        # What another verb has installed is kept, and kept up to date.
        extras = ",".join(sorted(_names(self.extras) | _names(installed)))
        self._install(f".[{extras}]" if extras else ".")
        stamp.write_text("\n".join([*self._state(), extras, ""]), encoding="utf-8")

    def run(self, tool: str, *arguments: str) -> int:
        """Run one of the environment's commands in the project's folder; return its exit code."""
        return _run([str(self._tool(tool)), *arguments], self.root)

    def _tool(self, name: str) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin") / name

    def _state(self) -> tuple[str, str]:
        content = hashlib.sha256()
        for name in ("pyproject.toml", "constraints.txt"):
            content.update((self.root / name).read_bytes())
        version = ".".join(map(str, sys.version_info[:2]))
        return str(self.root), f"{version} {content.hexdigest()}"

    def _install(self, project: str) -> None:
        print(
            f"Memasang paket di {self.folder}: hanya saat pertama dan bila daftarnya berubah.\n"
            "Biasanya satu sampai tiga menit, tergantung jaringan ...",
            flush=True,
        )
        requirements = ("-e", project, "-c", "constraints.txt")
        uv = shutil.which("uv")
        if uv and self._install_with_uv(uv, requirements):
            return
        if uv:
            print("uv gagal; mencoba lagi dengan pip ...", flush=True)
        self._install_with_pip(requirements)

    def _install_with_uv(self, uv: str, requirements: Sequence[str]) -> bool:
        made = self._works("") or self._make([uv, "venv", "--quiet", "--python", sys.executable])
        command = [uv, "pip", "install", "--quiet", "--python", str(self.python), *requirements]
        return made and run_audibly(command, self.root) == 0

    def _install_with_pip(self, requirements: Sequence[str]) -> None:
        if not self._works("import pip"):
            if importlib.util.find_spec("ensurepip") is None:
                raise TaskError(
                    "Python ini tidak punya modul venv/ensurepip.\n"
                    "Debian/Ubuntu: sudo apt install python3-venv\n"
                    "Atau pasang uv, lalu ulangi perintah ini."
                )
            if not self._make([sys.executable, "-m", "venv"]):
                raise TaskError(f"Environment {self.folder} gagal dibuat; alasannya di atas.")
        command = [str(self.python), "-m", "pip", "install", "--quiet", *requirements]
        if run_audibly(command, self.root):
            raise TaskError(
                "Pemasangan paket gagal; alasannya di atas. Periksa jaringan, lalu ulangi."
            )

    def _make(self, command: Sequence[str]) -> bool:
        shutil.rmtree(self.folder, ignore_errors=True)
        return _run([*command, str(self.folder)], self.root) == 0

    def _works(self, code: str) -> bool:
        try:
            done = subprocess.run([self.python, "-c", code], capture_output=True, check=False)
        except OSError:
            return False
        return done.returncode == 0


def _names(extras: str) -> set[str]:
    return set(filter(None, extras.split(",")))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _run(command: Sequence[str], folder: Path) -> int:
    return subprocess.run(command, cwd=folder, env=_environ(), check=False).returncode


def run_audibly(command: Sequence[str], folder: Path) -> int:
    """Run a command that says nothing for minutes, and say now and then that it still runs."""
    started = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env=_environ()) as process:
        while True:
            try:
                return process.wait(SIGN_OF_LIFE_S)
            except subprocess.TimeoutExpired:
                print(f"  masih memasang ({time.monotonic() - started:.0f} detik)", flush=True)


def _environ() -> dict[str, str]:
    """Let the installers trust what the system trusts, such as a company's own certificates."""
    environ = {"UV_SYSTEM_CERTS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **os.environ}
    system = ssl.get_default_verify_paths()
    certificates = system.cafile or system.capath
    if certificates:
        environ.setdefault("PIP_CERT", certificates)
    return environ


def free_port(preferred: int) -> int:
    """Return the first free port from `preferred` on."""
    for port in range(preferred, preferred + PORTS_TRIED):
        if _is_free(port):
            return port
    raise TaskError(f"Port {preferred} sampai {preferred + PORTS_TRIED - 1} terpakai semua.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name != "nt":  # there the option would share a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def chosen_port() -> int:
    """Return $PORT, or the first free port from the usual one on."""
    text = os.environ.get("PORT", "")
    if not text:
        port = free_port(PORT)
        if port != PORT:
            print(f"Port {PORT} sedang terpakai; memakai {port}. Pilih lewat variabel PORT.")
        return port
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise TaskError(f"PORT={text} bukan nomor port. Contoh: PORT=8080")
    if not _is_free(int(text)):
        raise TaskError(f"Port {text} sedang terpakai. Pilih yang lain lewat variabel PORT.")
    return int(text)


def _curl(base: str, path: str, body: dict[str, object]) -> str:
    text = json.dumps(body)
    # The command prompt of Windows knows no single quotes.
    quoted = json.dumps(text) if os.name == "nt" else f"'{text}'"
    return f'curl -s {base}{path} -H "Content-Type: application/json" -d {quoted}'


def welcome(base: str) -> Iterator[str]:
    """Say what to open and what to type; the lines work as they are printed."""
    thread_id = uuid.uuid4().hex
    yield f"Playground    {base}/playground"
    yield f"Dokumen API   {base}/docs"
    yield ""
    yield "Coba di terminal lain."
    yield ""
    yield "1. Bertanya"
    yield _curl(base, "/chat", {"message": "Bagaimana cuaca di Jakarta?"})
    yield "2. Minta kirim email: belum ada yang dikirim, agen menunggu keputusanmu"
    yield _curl(
        base,
        "/hitl/chat",
        {"message": "Kirim email ke alice@example.com: rapat jam 10", "thread_id": thread_id},
    )
    yield "3. Menyetujui: email dikirim, satu kali saja"
    yield _curl(base, "/hitl/review", {"thread_id": thread_id, "decisions": [{"type": "approve"}]})
    yield ""
    yield "Berhenti: Ctrl+C"


def _serve(environment: Environment) -> int:
    port = chosen_port()
    base = f"http://{HOST}:{port}"
    command = [str(environment.python), "-m", "uvicorn", "src.interface.http.main:app"]
    options = ["--host", HOST, "--port", str(port), "--reload", "--reload-dir", "src"]
    signal.signal(signal.SIGTERM, _leave)
    server = subprocess.Popen([*command, *options], cwd=environment.root)
    try:
        if _answers(f"{base}/health", server):
            print("", *welcome(base), "", sep="\n", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        # The terminal sent the same signal to the server, which is finishing its requests.
        return server.wait()
    finally:
        if server.poll() is None:
            server.terminate()
            server.wait()


def _leave(signal_number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + signal_number)


def _answers(url: str, server: subprocess.Popen[bytes]) -> bool:
    # A proxy of the user's is for other machines than this one.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_TIMEOUT_S
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with opener.open(url, timeout=1):
                return True
        except OSError:
            time.sleep(0.2)
    return False


def setup(environment: Environment, *_arguments: str) -> int:
    """Pasang semua yang dibutuhkan di .venv, dan buat .env dari .env.example."""
    environment.ensure()
    settings = environment.root / ".env"
    example = environment.root / ".env.example"
    if example.exists() and not settings.exists():
        shutil.copyfile(example, settings)
        print("Membuat .env dari .env.example", flush=True)
    return 0


def dev(environment: Environment, *_arguments: str) -> int:
    """Jalankan server pengembangan; port lain lewat variabel PORT."""
    setup(_without_tools(environment))
    return _serve(environment)


def chat(environment: Environment, *arguments: str) -> int:
    """Mengobrol dengan agen di terminal."""
    setup(_without_tools(environment))
    return environment.run("python", "-m", "src.interface.cli", *arguments)


def _without_tools(environment: Environment) -> Environment:
    """Leave out checkers and test tools, a third of all packages: running needs none of them."""
    return replace(environment, extras="")


CHECKS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("lint-imports",),
    ("mypy",),
)


def check(environment: Environment, *_arguments: str) -> int:
    """Periksa format, lint, arah impor antar-layer, dan tipe; tidak mengubah apa pun."""
    environment.ensure()
    # All of them run, so that one round shows everything there is to mend.
    return next(filter(None, [environment.run(*command) for command in CHECKS]), 0)


def test(environment: Environment, *arguments: str) -> int:
    """Jalankan check, lalu semua tes."""
    return check(environment) or environment.run("python", "-m", "pytest", *arguments)


def fix(environment: Environment, *_arguments: str) -> int:
    """Rapikan format dan perbaiki yang bisa diperbaiki otomatis."""
    environment.ensure()
    return environment.run("ruff", "check", "--fix", ".") or environment.run("ruff", "format", ".")


VERBS: dict[str, Callable[..., int]] = {
    verb.__name__: verb for verb in (setup, dev, chat, check, test, fix)
}


def main(verbs: dict[str, Callable[..., int]], root: Path, arguments: Sequence[str]) -> int:
    """Run one verb and return the exit code."""
    if sys.version_info < OLDEST_PYTHON:
        print("Butuh Python 3.11 atau lebih baru.", file=sys.stderr)
        return 1
    if not arguments or arguments[0] not in verbs:
        _show_help(verbs)
        return 0 if arguments[:1] in (["-h"], ["--help"], ["help"]) else 2
    try:
        return verbs[arguments[0]](Environment(root), *arguments[1:])
    except TaskError as error:
        print(f"\nError: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _show_help(verbs: dict[str, Callable[..., int]]) -> None:
    print("Pakai: python -m tasks VERB\n")
    for name, verb in verbs.items():
        print(f"  {name:6} {verb.__doc__}")


if __name__ == "__main__":
    sys.exit(main(VERBS, ROOT, sys.argv[1:]))
