"""A service that rises again at once after it was killed.

This process imports everything and keeps the listening socket; the service itself is a fork of it.
A new fork serves within milliseconds, and clients that connect in between only wait. For each line
on standard input the last fork is buried and a new one started; its process id is the answer.
"""

import os
import socket
import sys
from typing import NoReturn

import uvicorn

from tests.guarantees.service import app


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    _say(listener.getsockname()[1])
    child = 0
    for _ in sys.stdin:
        if child:
            os.waitpid(child, 0)
        child = os.fork()
        if not child:
            _serve(listener)
        _say(child)


def _serve(listener: socket.socket) -> NoReturn:
    sys.stdin.close()
    config = uvicorn.Config(app, log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
    os._exit(0)


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
