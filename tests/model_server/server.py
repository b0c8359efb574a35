"""A model on 127.0.0.1 that costs nothing, needs no key and notices when nobody listens any more."""

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.model_server import gemini, openai_chat
from tests.model_server.script import next_reply

Json = dict[str, Any]

PACE_SECONDS = 0.1
"""Between two words of a slow reply: 600 of them outlast every test."""


class ModelServer:
    """Serves until closed. `aborted` counts replies whose reader went away before their end."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Json]] = []
        self.aborted = 0
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

        def do_GET(self) -> None:
            self._whole({"object": "list", "data": [{"id": "fake-model", "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            model.requests.append((self.path, body))
            if self.path.endswith("/chat/completions"):
                reply = next_reply(openai_chat.read(body))
                self._stream(openai_chat.stream(reply), slowly=reply.slowly)
            elif ":streamGenerateContent" in self.path:
                reply = next_reply(gemini.read(body))
                self._stream(gemini.stream(reply), slowly=reply.slowly)
            elif ":generateContent" in self.path:
                self._whole(gemini.whole(body))
            elif ":countTokens" in self.path:
                self._whole({"totalTokens": 100})
            else:
                self.send_error(404)

        def _whole(self, answer: Json) -> None:
            data = json.dumps(answer).encode()
            self.send_response(200)
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
                for piece in pieces:
                    text = piece if isinstance(piece, str) else json.dumps(piece)
                    self.wfile.write(f"data: {text}\n\n".encode())
                    if slowly and model.closing.wait(PACE_SECONDS):
                        break
            except (BrokenPipeError, ConnectionResetError):
                with model.news:
                    model.aborted += 1
                    model.news.notify_all()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: stderr is the tests'."""

    return Handler
