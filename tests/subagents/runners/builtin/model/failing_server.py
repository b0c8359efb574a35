"""A model server that fails on demand: it gives the configured answers in order, then complete ones."""

import json
import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.model_server import anthropic, openai_chat
from tests.model_server.script import Reply

Json = dict[str, Any]
Provider = Literal["openai", "anthropic"]

WORDS = Reply(["All ", "done."])


@dataclass(frozen=True)
class Refusal:
    """An answer with an error status."""

    status: int
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Broken:
    """A stream that ends after some events: by its end, by a damaged line, or by a reset."""

    events: int
    how: Literal["end", "malformed", "reset"] = "end"


@dataclass(frozen=True)
class Whole:
    """A complete answer, with usage in the provider's format; None stands for a default usage."""

    usage: Json | None = None
    reply: Reply = WORDS


class FailingServer:
    """Serve until closed; `bodies` are the requests."""

    def __init__(self, provider: Provider, answers: Sequence[Refusal | Broken | Whole]) -> None:
        self.bodies: list[Json] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, provider, iter(answers)))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._thread.join(5)
        self._server.server_close()


def _handler(
    server: FailingServer, provider: Provider, answers: Iterator[Refusal | Broken | Whole]
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            match next(answers, Whole()):
                case Refusal() as refusal:
                    self._refuse(refusal)
                case Broken(events=0, how="reset"):
                    self._reset()
                case answer:
                    self._stream(answer)

        def _refuse(self, refusal: Refusal) -> None:
            data = json.dumps(refusal.body).encode()
            self.send_response(refusal.status)
            for name, value in {"Content-Type": "application/json", **refusal.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, answer: Broken | Whole | Refusal) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            if isinstance(answer, Whole):
                self._write(_events(provider, answer))
                return
            assert isinstance(answer, Broken)
            self._write(_events(provider, Whole())[: answer.events])
            if answer.how == "malformed":
                self.wfile.write(b'event: content_block_delta\ndata: {"type": "cont\n\n')
            elif answer.how == "reset":
                self._reset()

        def _write(self, events: Sequence[Json | str]) -> None:
            for event in events:
                name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
                data = event if isinstance(event, str) else json.dumps(event)
                self.wfile.write(f"{name}data: {data}\n\n".encode())
            self.wfile.flush()

        def _reset(self) -> None:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _events(provider: Provider, answer: Whole) -> list[Json | str]:
    events: list[Json | str]
    if provider == "openai":
        events = list(openai_chat.stream(answer.reply))
        last = events[-2]
        assert isinstance(last, dict)
        last["usage"] = answer.usage or last["usage"]
    else:
        events = list(anthropic.stream(answer.reply))
        first = events[0]
        assert isinstance(first, dict)
        first["message"] = {**first["message"], "usage": answer.usage or first["message"]["usage"]}
    return events
