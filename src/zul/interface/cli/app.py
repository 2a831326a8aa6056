from pathlib import Path
from typing import Annotated

import typer

from zul import __version__
from zul.domain.project_name import DEFAULT_NAME
from zul.interface.cli import exit_codes
from zul.interface.cli.build_request import BuildRequest
from zul.interface.cli.console import Console
from zul.interface.cli.plain_command import PlainCommand, PlainGroup
from zul.interface.cli.usage import explain_arguments

# Without markup typer loads no rich: help comes at once, in plain text that any console shows.
app = typer.Typer(
    name="zul",
    cls=PlainGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
build = typer.Typer(cls=PlainGroup, rich_markup_mode=None, add_completion=False)
app.add_typer(build, name="build")


def _show_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


def _help_without_command(context: typer.Context) -> None:
    # typer's own `no_args_is_help` ends with 0 in some of its releases and with 2 in others.
    if context.invoked_subcommand is None:
        Console().note(context.get_help())
        raise typer.Exit(exit_codes.USAGE)


@app.callback(invoke_without_command=True)
def zul(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Tampilkan versi zul.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Zul membangun layanan agen AI dengan arsitektur heksagonal."""
    _help_without_command(context)


@build.callback(invoke_without_command=True)
def build_group(context: typer.Context) -> None:
    """Buat proyek baru."""
    _help_without_command(context)


@app.command()
def version() -> None:
    """Tampilkan versi zul."""
    Console().result(f"zul {__version__}")


# A name typed without --name is taken in, to be answered with the command that was meant.
@build.command("hexa", cls=PlainCommand, context_settings={"allow_extra_args": True})
def build_hexa(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Option("--name", "-n", metavar="NAMA", help=f"Nama proyek, misalnya {DEFAULT_NAME}."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Jangan minta konfirmasi. Tidak menimpa apa pun.")
    ] = False,
    directory: Annotated[
        str, typer.Option("--directory", "-d", metavar="DIR", help="Folder tempat proyek dibuat.")
    ] = ".",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Hanya tampilkan berkas yang akan dibuat.")
    ] = False,
) -> None:
    """Buat proyek HEXA: FastAPI dan LangGraph dalam layer heksagonal.

    Kode keluar: 0 berhasil atau dibatalkan, 1 ditolak, 2 salah pakai, 130 dihentikan.
    """
    if context.args:
        explain_arguments(context.args, name, Console())
        raise typer.Exit(exit_codes.USAGE)
    # Imported when it is needed: help and version need none of it, and should be instant.
    from zul.interface.cli.build_hexa import run  # noqa: PLC0415

    request = BuildRequest(name=name, yes=yes, dry_run=dry_run, folder=Path(directory))
    raise typer.Exit(run(request, Console()))
