"""Errors of the wire and their JSON-RPC codes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidecar.rpc.transport.framing import Frame

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
OVERLOADED = -32001


class RpcError(Exception):
    """A JSON-RPC error object: a handler raises it to choose its answer, `request` when the peer gave one."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ConnectionClosed(Exception):
    """The peer is gone, or this side has ended: nothing more will be sent or answered."""


class EncodingError(ValueError):
    """A result or parameter that cannot be encoded as JSON; the text names the reason."""


class FramingError(ValueError):
    """The byte stream has lost its framing, so no later message can be found in it.

    `frames` holds the bodies that were complete before the error.
    """

    def __init__(self, message: str, frames: "list[Frame] | None" = None) -> None:
        super().__init__(message)
        self.frames: list[Frame] = frames or []
