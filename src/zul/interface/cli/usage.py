import re
from collections.abc import Sequence
from typing import Any

from zul.domain.project_name import suggested_name
from zul.interface.cli.console import Console


def explain_usage(error: Exception, console: Console) -> None:
    """Say what is wrong with the command line and where the right form is shown."""
    context: Any = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "zul")
    console.fail(_cause(error, context), f"Cara pakai: {command} --help")


def explain_arguments(arguments: Sequence[str], name: str | None, console: Console) -> None:
    """Refuse words without an option; where the name is missing, they were meant to be it."""
    words = " ".join(arguments)
    hint = "Cara pakai: zul build hexa --help"
    if name is None:
        meant = f"zul build hexa --name {suggested_name(words)}"
        console.fail(f"Nama proyek ditulis dengan --name: {meant}", hint)
    else:
        console.fail(f"Argumen {words!r} tidak dikenal.", hint)


def _cause(error: Exception, context: Any) -> str:
    # Told apart by name: typer keeps these classes private.
    option = getattr(error, "option_name", "")
    unknown = re.match(r"No such command ('.*?')", str(error))
    match type(error).__name__:
        case "NoSuchOption":
            return f"Opsi {option!r} tidak dikenal."
        case "BadOptionUsage" if "requires" in str(error):
            return f"Opsi {option!r} butuh nilai."
        case "BadOptionUsage":
            return f"Opsi {option!r} tidak menerima nilai."
        case _ if unknown:
            known = ", ".join(context.command.list_commands(context))
            return f"Perintah {unknown.group(1)} tidak dikenal. Yang ada: {known}."
        case _:
            return f"Perintah tidak dipahami. {error}"
