"""A real HTTP server on 127.0.0.1 that speaks OpenAI's chat completions, well or badly.

In a test it follows a script, one step per request::

    with OpenAIServer([says("Halo")]) as server:
        ...  # use server.base_url, then look at server.requests

By itself (``python -m tests.support.openai_server --port 8001``) it answers with the brain of the
built-in demo model, for trying ``LLM_BASE_URL``.
"""

import argparse
import json
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self

from langchain_core.messages import convert_to_messages, convert_to_openai_messages
from typing_extensions import override

JSON = dict[str, Any]

_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """What a client sent."""

    path: str
    headers: dict[str, str]
    body: JSON
    disconnected: threading.Event = field(default_factory=threading.Event)
    """Set when the client hung up on a step that never ends by itself."""

    @property
    def messages(self) -> list[JSON]:
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[JSON]:
        return list(self.body.get("tools", []))

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))


class Connection(Protocol):
    """What a step may do with the connection of one request."""

    recorded: RecordedRequest

    def send_head(self, status: int, headers: dict[str, str]) -> None: ...
    def send(self, data: bytes) -> None: ...
    def hang_up(self) -> None: ...
    def pause(self, seconds: float) -> bool: ...


class Step(Protocol):
    """One way of answering a request."""

    def answer(self, connection: Connection) -> None: ...


Answer = Step | Callable[[RecordedRequest], Step]


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply of the model, as one JSON body or as a stream of events."""

    content: Any = None
    tool_calls: Sequence[JSON] = ()
    finish_reason: str | None = None
    has_indexes: bool = True
    """Whether streamed tool calls carry an index; without one a call comes in one piece."""

    def answer(self, connection: Connection) -> None:
        body, kind = self.encoded(connection.recorded)
        connection.send_head(200, {"Content-Type": kind, "Content-Length": str(len(body))})
        connection.send(body)

    def encoded(self, request: RecordedRequest) -> tuple[bytes, str]:
        if not request.streams:
            return json.dumps(self._whole(request)).encode(), "application/json"
        return b"".join(self.events(request)), "text/event-stream"

    def events(self, request: RecordedRequest) -> Iterator[bytes]:
        deltas = [{"role": "assistant", "content": ""}, *self._deltas()]
        for delta in deltas:
            yield _event(request, [{"index": 0, "delta": delta, "finish_reason": None}])
        yield _event(request, [{"index": 0, "delta": {}, "finish_reason": self._reason}])
        if (request.body.get("stream_options") or {}).get("include_usage"):
            yield _event(request, [], usage=_USAGE)
        yield b"data: [DONE]\n\n"

    @property
    def _reason(self) -> str:
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")

    def _whole(self, request: RecordedRequest) -> JSON:
        message: JSON = {"role": "assistant", "content": self.content}
        if self.tool_calls:
            message["tool_calls"] = list(self.tool_calls)
        choice = {"index": 0, "message": message, "finish_reason": self._reason}
        return _envelope(request, "chat.completion", [choice]) | {"usage": _USAGE}

    def _deltas(self) -> Iterator[JSON]:
        if isinstance(self.content, str):
            yield from ({"content": word} for word in _words(self.content))
        elif self.content is not None:
            yield {"content": self.content}
        for index, call in enumerate(self.tool_calls):
            for piece in _call_pieces(call, index) if self.has_indexes else [call]:
                yield {"tool_calls": [piece]}


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error, or any other body that is no completion."""

    status: int
    body: str = '{"error": {"message": "scripted failure sk-test-123", "type": "server_error"}}'
    headers: dict[str, str] = field(default_factory=dict)

    def answer(self, connection: Connection) -> None:
        data = self.body.encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        connection.send_head(self.status, head | self.headers)
        connection.send(data)


@dataclass(frozen=True, slots=True)
class Stall:
    """Accept the request and never answer."""

    def answer(self, connection: Connection) -> None:
        while connection.pause(_POLL_SECONDS):
            pass


@dataclass(frozen=True, slots=True)
class Drip:
    """Send a good reply one byte at a time."""

    reply: Completion
    seconds_per_byte: float = 1.0
    drips_head: bool = False
    """Whether the status line and the headers drip as well."""

    def answer(self, connection: Connection) -> None:
        body, kind = self.reply.encoded(connection.recorded)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        slow = body
        if self.drips_head:
            slow = head.encode() + body
        else:
            connection.send(head.encode())
        for position in range(len(slow)):
            connection.send(slow[position : position + 1])
            if not connection.pause(self.seconds_per_byte):
                return


@dataclass(frozen=True, slots=True)
class Drop:
    """Hang up in the middle: after some events of a stream, or half-way through a JSON body."""

    reply: Completion
    after_events: int = 2

    def answer(self, connection: Connection) -> None:
        request = connection.recorded
        body, kind = self.reply.encoded(request)
        connection.send_head(200, {"Content-Type": kind, "Content-Length": str(len(body))})
        if request.streams:
            for _, event in zip(range(self.after_events), self.reply.events(request), strict=False):
                connection.send(event)
        else:
            connection.send(body[: len(body) // 2])
        connection.hang_up()


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close the connection without a word."""

    def answer(self, connection: Connection) -> None:
        connection.hang_up()


def says(text: Any) -> Completion:
    """Reply with ``text``."""
    return Completion(content=text)


def calls(*tool_calls: JSON) -> Completion:
    """Reply with tool calls, made by ``call``."""
    return Completion(tool_calls=tool_calls)


def call(name: str, arguments: Any = "{}", call_id: str | None = "call_1") -> JSON:
    """Make a tool call as it is on the wire.

    Args:
        name: of the tool.
        arguments: text, sent as it is; an object, sent as its JSON text; None leaves them out.
        call_id: None leaves it out.
    """
    function: JSON = {"name": name}
    if arguments is not None:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function["arguments"] = text
    made: JSON = {"type": "function", "function": function}
    return made if call_id is None else {"id": call_id, **made}


class OpenAIServer(ThreadingHTTPServer):
    """Serves in threads of its own between ``with`` and its end."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, script: Iterable[Answer] = (), *, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.script: list[Answer] = list(script)
        self.requests: list[RecordedRequest] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def record(self, request: RecordedRequest) -> Step:
        """Note ``request`` and return the step that answers it."""
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
            if position >= len(self.script):
                return Failure(500, '{"error": {"message": "the script is over"}}')
            step = self.script[position]
        return step if hasattr(step, "answer") else step(request)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(_POLL_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()
        with self._lock:
            for connection in self._connections:
                _end(connection)

    @override
    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    @override
    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet about clients that hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class BrainServer(OpenAIServer):
    """Answers every request with ``brain`` instead of a script."""

    def __init__(self, brain: Callable[[RecordedRequest], Step], *, port: int = 0) -> None:
        super().__init__(port=port)
        self._brain = brain

    def record(self, request: RecordedRequest) -> Step:
        self.requests.append(request)
        return self._brain(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: OpenAIServer
    recorded: RecordedRequest

    def do_GET(self) -> None:
        self._read_request({})
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        Failure(200 if self.path == "/v1/models" else 404, json.dumps(models)).answer(self)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self._read_request(json.loads(self.rfile.read(length) or b"{}"))
        if self.path == "/v1/chat/completions":
            self.server.record(self.recorded).answer(self)
        else:
            Failure(404).answer(self)

    def _read_request(self, body: JSON) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.recorded = RecordedRequest(self.path, headers, body)

    def send_head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, data: bytes) -> None:
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except ConnectionError:
            self.recorded.disconnected.set()

    def hang_up(self) -> None:
        self.close_connection = True
        _end(self.connection)

    def pause(self, seconds: float) -> bool:
        """Wait; False when the client hung up or the server closes."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            self.recorded.disconnected.set()
        self.close_connection = self.recorded.disconnected.is_set() or self.server.closing.is_set()
        return not self.close_connection

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Keep the output of tests clean."""


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _envelope(request: RecordedRequest, kind: str, choices: list[JSON]) -> JSON:
    model = request.body.get("model", "scripted")
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model, "choices": choices}


def _event(request: RecordedRequest, choices: list[JSON], **more: Any) -> bytes:
    payload = _envelope(request, "chat.completion.chunk", choices) | more
    return f"data: {json.dumps(payload)}\n\n".encode()


def _words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]


def _call_pieces(call: JSON, index: int) -> Iterator[JSON]:
    """Cut a tool call into pieces as OpenAI does: the name, then the arguments bit by bit."""
    function = call["function"]
    arguments = function.get("arguments")
    head = {**call, "index": index}
    if not isinstance(arguments, str):
        yield head
        return
    yield head | {"function": {**function, "arguments": ""}}
    half = len(arguments) // 2
    for piece in (arguments[:half], arguments[half:]):
        yield {"index": index, "function": {"arguments": piece}}


def demo_brain(request: RecordedRequest) -> Step:
    """Answer as the demo model does."""
    from src.infrastructure.AI.llm.demo import DemoChatModel  # noqa: PLC0415 - only stand-alone

    known = ("tools", "tool_choice", "parallel_tool_calls", "stop")
    options = {name: request.body[name] for name in known if name in request.body}
    reply = DemoChatModel().invoke(convert_to_messages(request.messages), **options)
    (wire,) = convert_to_openai_messages([reply])
    return Completion(content=wire["content"] or None, tool_calls=wire.get("tool_calls", ()))


def main() -> None:
    """Serve the demo brain until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=8001)
    server = BrainServer(demo_brain, port=parser.parse_args().port)
    sys.stdout.write(f"LLM_BASE_URL={server.base_url}\n")
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
