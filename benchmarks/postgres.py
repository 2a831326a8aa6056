"""A PostgreSQL server for one run: the programs of this machine, a folder that is thrown away."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.subject import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGED = Path("/usr/lib/postgresql")


def programs() -> Path | None:
    """Return the folder of the newest server programs, if there are any."""
    if (found := shutil.which("initdb")) and shutil.which("pg_ctl"):
        return Path(found).parent
    installed = [path.parent for path in _PACKAGED.glob("*/bin/initdb")]
    return max(installed, key=lambda path: float(path.parent.name), default=None)


def new_database(address: str) -> str:
    """Make a database and return its address."""
    name = f"bench_{secrets.token_hex(6)}"
    subprocess.run(
        ["psql", "-q", f"{address}/postgres", "-c", f"CREATE DATABASE {name}"],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return f"{address}/{name}"


@contextmanager
def server() -> Iterator[str]:
    """Start a server and give its address without a database's name.

    It does not wait for the disk: how busy that is says nothing about the service.
    """
    found = programs()
    if found is None:
        raise FileNotFoundError("initdb")
    folder = Path(tempfile.mkdtemp(prefix="zul-bench-pg-"))
    account: dict[str, Any] = {}
    if os.geteuid() == 0:
        # The server refuses to run as root.
        shutil.chown(folder, "postgres", "postgres")
        account = {"user": "postgres", "group": "postgres", "extra_groups": ()}

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [found / program, "-D", folder / "data", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
            **account,
        )

    port = free_port()
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        " -c max_connections=200 -c fsync=off"
    )
    try:
        call("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        yield f"postgresql://postgres@127.0.0.1:{port}"
    finally:
        subprocess.run(
            [found / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            **account,
        )
        shutil.rmtree(folder, ignore_errors=True)
