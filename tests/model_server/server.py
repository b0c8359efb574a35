"""A fake model on 127.0.0.1 that needs no key and notices when its client disconnects."""

import itertools
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, Protocol

from tests.model_server import anthropic, failures, gemini, openai_chat, openai_responses
from tests.model_server.failures import Failure, Place
from tests.model_server.script import Conversation, Reply, next_reply
from tests.model_server.usage import Answer, Usage, UsageOf, always

Json = dict[str, Any]


class Wire(Protocol):
    """A provider's protocol: reads requests and streams replies."""

    ENDING: int

    def read(self, body: Json) -> Conversation: ...
    def stream(self, reply: Reply) -> Iterable[Json | str]: ...


PACE_SECONDS = 0.1
"""The pause between two words of a slow reply: 600 of them outlast every test."""


class ModelServer:
    """Serves until closed. `aborted` counts replies whose reader went away before their end.

    `usage` decides what the answers report that they used.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, Json]] = []
        self.conversations: list[Conversation] = []
        """The conversations of the requests for an answer."""
        self.answers: list[Answer] = []
        """The answers that were sent completely, in the order in which they ended."""
        self.usage: UsageOf = always
        self.numbers = itertools.count()
        self.aborted = 0
        self.failure: Failure | None = None
        """The failure of each request from now on."""
        self.retry_after: str | None = None
        """The Retry-After header of a refusal; None for none."""
        self.failure_place: Place = "half"
        self.spares_first_answer = False
        """Whether only requests with the result of a tool fail."""
        self.closing = threading.Event()
        self.changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="model server")
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the server, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def failure_of(self, conversation: Conversation) -> Failure | None:
        """Return the failure of a request; None if it succeeds."""
        return None if self.spares_first_answer and not conversation.tool_answered else self.failure

    @property
    def answers_of_sessions(self) -> list[Usage]:
        """The usage of the answers, without side calls."""
        return [answer.usage for answer in self.answers if not answer.is_side_call]

    def note(self, answer: Answer) -> None:
        """Note an answer that was sent."""
        with self.changed:
            self.answers.append(answer)
            self.changed.notify_all()

    def until_answered(self, count: int, seconds: float) -> bool:
        """Wait for this many answers, without side calls; return whether they came in time."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.answers_of_sessions) >= count, seconds)

    def until_aborted(self, seconds: float) -> bool:
        """Wait until the reader of a reply disconnects; return whether one did in time."""
        with self.changed:
            return self.changed.wait_for(lambda: self.aborted > 0, seconds)

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
            if path.endswith("/chat/completions"):
                self._answer(openai_chat, body)
            elif path.endswith("/responses"):
                self._answer(openai_responses, body)
            elif path.endswith("/messages"):
                self._answer(anthropic, body, None if body.get("stream") else anthropic.whole)
            elif path.endswith("/messages/count_tokens"):
                self._whole({"input_tokens": 100})
            elif ":streamGenerateContent" in self.path:
                self._answer(gemini, body)
            elif ":generateContent" in self.path:
                self._answer(gemini, body, lambda reply: gemini.whole(reply, body))
            elif ":countTokens" in self.path:
                self._whole({"totalTokens": 100})
            else:
                self.send_error(404)

        def _answer(self, wire: Wire, body: Json, whole: Callable[[Reply], Json] | None = None) -> None:
            """Answer a request in a provider's protocol: as a stream, or `whole`."""
            conversation = wire.read(body)
            model.conversations.append(conversation)
            failure = model.failure_of(conversation)
            number = next(model.numbers)
            reply = replace(next_reply(conversation), usage=model.usage(number), id=f"{number}")
            answer = Answer(reply.usage, conversation.is_side_call, conversation.goal)
            if isinstance(failure, int):
                wait = {} if model.retry_after is None else {"Retry-After": model.retry_after}
                self._send(failure, failures.encoded(failure), wait)
            elif whole is None:
                pieces = map(_event, wire.stream(reply))
                broken = failures.broken(pieces, failure, model.failure_place, wire.ENDING)
                if self._stream(broken, slowly=reply.slowly):
                    model.note(answer)
            elif failure is not None:
                # An agent whose stream broke may ask for the whole answer at once.
                failures.reset(self.connection)
                self.close_connection = True
            else:
                self._whole(whole(reply))
                model.note(answer)

        def _whole(self, answer: Json) -> None:
            self._send(200, json.dumps(answer).encode())

        def _send(self, status: int, data: bytes, headers: Mapping[str, str] = MappingProxyType({})) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: Iterable[str], *, slowly: bool) -> bool:
            """Send a stream; return whether somebody read it to its end."""
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                for event in events:
                    self.wfile.write(event.encode())
                    if slowly and model.closing.wait(PACE_SECONDS):
                        return False
            except failures.Reset:
                failures.reset(self.connection)
                return False
            except (BrokenPipeError, ConnectionResetError):
                with model.changed:
                    model.aborted += 1
                    model.changed.notify_all()
                return False
            finally:
                self.close_connection = True
            return True

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing: stderr belongs to the tests."""

    return Handler


def _event(piece: Json | str) -> str:
    """Encode an event of the stream; if it has a type, as in some protocols, that is also its name."""
    if isinstance(piece, str):
        return f"data: {piece}\n\n"
    name = f"event: {piece['type']}\n" if "type" in piece else ""
    return f"{name}data: {json.dumps(piece)}\n\n"
