"""A model on 127.0.0.1 that costs nothing, needs no key and notices when nobody listens any more."""

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.model_server import anthropic, faults, gemini, openai_chat, openai_responses
from tests.model_server.faults import Fault
from tests.model_server.script import next_reply

Json = dict[str, Any]

PACE_SECONDS = 0.1
"""Between two words of a slow reply: 600 of them outlast every test."""


class ModelServer:
    """Serves until closed. `aborted` counts replies whose reader went away before their end."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Json]] = []
        self.aborted = 0
        self.fault: Fault | None = None
        """What goes wrong with each request from now on."""
        self.closing = threading.Event()
        self.news = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="model server")
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def until_aborted(self, seconds: float) -> bool:
        """Wait until a reply was seen to lose its reader; tell whether one was in time."""
        with self.news:
            return self.news.wait_for(lambda: self.aborted > 0, seconds)

    def close(self) -> None:
        """End every reply and the server."""
        self.closing.set()
        self._server.shutdown()
        self._thread.join(5)
        self._server.server_close()


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self._whole({"object": "list", "data": [{"id": "fake-model", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            model.requests.append((self.path, body))
            path = self.path.partition("?")[0]
            if isinstance(model.fault, int):
                self._send(model.fault, faults.encoded(model.fault))
            elif path.endswith("/chat/completions"):
                reply = next_reply(openai_chat.read(body))
                self._stream(openai_chat.stream(reply), slowly=reply.slowly)
            elif path.endswith("/responses"):
                reply = next_reply(openai_responses.read(body))
                self._stream(openai_responses.stream(reply), slowly=reply.slowly)
            elif path.endswith("/messages"):
                self._messages(body)
            elif path.endswith("/messages/count_tokens"):
                self._whole({"input_tokens": 100})
            elif ":streamGenerateContent" in self.path:
                reply = next_reply(gemini.read(body))
                self._stream(gemini.stream(reply), slowly=reply.slowly)
            elif ":generateContent" in self.path:
                self._whole(gemini.whole(body))
            elif ":countTokens" in self.path:
                self._whole({"totalTokens": 100})
            else:
                self.send_error(404)

        def _messages(self, body: Json) -> None:
            reply = next_reply(anthropic.read(body))
            if body.get("stream"):
                self._stream(anthropic.stream(reply), slowly=reply.slowly)
            else:
                self._whole(anthropic.whole(reply))

        def _whole(self, answer: Json) -> None:
            if isinstance(model.fault, str) and self.command == "POST":
                # An agent whose stream broke may ask for the whole answer at once.
                faults.reset(self.connection)
                self.close_connection = True
                return
            self._send(200, json.dumps(answer).encode())

        def _send(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, pieces: Iterable[Json | str], *, slowly: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                for event in faults.broken(map(_event, pieces), model.fault):
                    self.wfile.write(event.encode())
                    if slowly and model.closing.wait(PACE_SECONDS):
                        break
            except faults.Reset:
                faults.reset(self.connection)
            except (BrokenPipeError, ConnectionResetError):
                with model.news:
                    model.aborted += 1
                    model.news.notify_all()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: stderr is the tests'."""

    return Handler


def _event(piece: Json | str) -> str:
    """Return a piece as the stream has it; one with a type, as some wires have it, is named by that too."""
    if isinstance(piece, str):
        return f"data: {piece}\n\n"
    name = f"event: {piece['type']}\n" if "type" in piece else ""
    return f"{name}data: {json.dumps(piece)}\n\n"
