"""Lets a person change the arguments of an action, in an editor or on one line."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from src.interface.cli.console import Console
from src.interface.cli.visible import visible
from src.interface.http.fields import ToolArgs

Edit = Callable[[str], str]
"""Takes a text and returns what a person made of it.

Raises:
    EditError: the text could not be edited; the reason is for people.
    EOFError: nobody is there to edit it.
"""

_ARGUMENTS: TypeAdapter[dict[str, Any]] = TypeAdapter(ToolArgs)
_USUAL_EDITORS = ("notepad",) if os.name == "nt" else ("sensible-editor", "nano", "vi")


class EditError(Exception):
    """The edit failed; the action is as it was."""


def make_edit(console: Console) -> Edit:
    """Return how this console edits: in an editor, or on one line where there is no terminal."""
    if console.is_interactive:
        return edit_in_editor
    return lambda _: console.ask("Argumen baru (JSON, satu baris): ")


def edit_in_editor(text: str) -> str:
    """Open ``text`` in ``$VISUAL``, ``$EDITOR`` or a usual editor."""
    command = _editor_command()
    descriptor, name = tempfile.mkstemp(suffix=".json", prefix="aksi-")
    path = Path(name)
    try:
        os.close(descriptor)
        path.write_text(f"{text}\n", encoding="utf-8")
        _run([*command, name])
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EditError(f"Editor `{command[0]}` tidak dapat dipakai: {error}") from error
    finally:
        path.unlink(missing_ok=True)


def _editor_command() -> list[str]:
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if chosen:
        # Backslashes are part of a path on Windows.
        return shlex.split(chosen, posix=os.name != "nt")
    found = next(filter(shutil.which, _USUAL_EDITORS), None)
    if found is None:
        raise EditError("Tidak ada editor. Isi variabel EDITOR, misalnya EDITOR=nano.")
    return [found]


def _run(command: list[str]) -> None:
    code = subprocess.run(command, check=False).returncode  # noqa: S603 - the person's own editor
    if code:
        raise EditError(
            f"Editor `{command[0]}` berhenti dengan kode {code}; tidak ada yang diubah."
        )


def parse_arguments(text: str) -> dict[str, Any]:
    """Read the arguments of an action, by the rules of the HTTP interface.

    Raises:
        EditError: with what is wrong and where.
    """
    value = _parse_json(text)
    if not isinstance(value, dict):
        raise EditError('Argumen harus objek JSON, misalnya {"to": "alice@example.com"}.')
    try:
        return _ARGUMENTS.validate_python(value)
    except ValidationError as error:
        raise EditError(f"Argumen ditolak: {visible(error.errors()[0]['msg'])}") from error


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"baris {error.lineno}, kolom {error.colno}"
        raise EditError(f"JSON salah di {place}: {error.msg}") from error
    except RecursionError as error:
        raise EditError("JSON terlalu dalam.") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise EditError(f'Kunci "{visible(twice)}" muncul lebih dari sekali.')
    return result


def _no_constant(name: str) -> Any:
    raise EditError(f"{name} bukan JSON.")
