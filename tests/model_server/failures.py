"""What can go wrong between an agent and its model, for a server to simulate."""

import json
import socket
import struct
from collections.abc import Iterable, Iterator
from typing import Any, Literal

Failure = Literal["cut", "malformed", "reset", 401, 429, 500, 529]
"""A status code refuses each request; a word breaks each stream."""
Place = Literal["start", "half", "torn", "end"]
"""Where a stream breaks: before its first event, after half of them, inside the last event with content
(words or a tool's arguments), or right after that event, before the events that only end the stream."""

FAILURES: tuple[Failure, ...] = (401, 429, 500, "reset", "cut", "malformed")
_REASONS = {
    401: ("authentication_error", "UNAUTHENTICATED", "invalid api key"),
    429: ("rate_limit_error", "RESOURCE_EXHAUSTED", "too many requests"),
    500: ("api_error", "INTERNAL", "internal server error"),
    529: ("overloaded_error", "UNAVAILABLE", "overloaded"),
}


class Reset(Exception):
    """The stream has reached the point where its connection is reset."""


def refusal(status: int) -> dict[str, Any]:
    """Return an error body that has the members of every protocol."""
    kind, word, message = _REASONS[status]
    return {
        "type": "error",
        "error": {"type": kind, "code": status, "status": word, "message": message},
    }


def broken(events: Iterable[str], failure: Failure | None, place: Place, ending: int) -> Iterator[str]:
    """Yield a stream's events as far as the failure lets them through; raises Reset at that failure.

    The last `ending` events have no content.
    """
    if failure is None:
        yield from events
        return
    whole = list(events)
    content = whole[: len(whole) - ending]
    match place:
        case "half":
            yield from whole[: len(whole) // 2]
        case "torn":
            yield from content[:-1]
            yield content[-1][: len(content[-1]) // 2]
        case "end":
            yield from content
    if failure == "malformed":
        yield "data: {broken\n\n"
    if failure == "reset":
        raise Reset


def reset(connection: socket.socket) -> None:
    """Make the connection end with RST rather than FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def encoded(status: int) -> bytes:
    """Return the bytes of a refusal."""
    return json.dumps(refusal(status)).encode()
