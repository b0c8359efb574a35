"""Answer what a client sends before `initialize`, when it names its root there."""

import os
import sys

from sidecar.api.errors import NotInitialized
from sidecar.printable import printable
from sidecar.rpc.errors import FramingError, RpcError
from sidecar.rpc.messages import Notification, Rejected, Request, parse_message
from sidecar.rpc.transport.encoding import encode_error
from sidecar.rpc.transport.framing import FrameDecoder, encode_frame
from sidecar.user_dirs import default_root

_CHUNK = 256 * 1024


def read_until_initialize(received: bytes) -> tuple[str, bytes] | None:
    """Read standard input until `initialize`; return the client's root, and that message with what follows.

    Earlier requests get an error. None when the input ends or has no frames, or the client exits first.
    """
    decoder = FrameDecoder()
    while received:
        try:
            frames, error = decoder.feed(received), None
        except FramingError as failed:
            frames, error = failed.frames, failed
        for number, frame in enumerate(frames):
            message = parse_message(frame)
            if isinstance(message, Request) and message.method == "initialize":
                early = b"".join(map(encode_frame, frames[number:])) + decoder.unfinished()
                return _root_of(message.params), early
            if isinstance(message, Notification) and message.method == "exit":
                return None
            _refuse(message)
        if error is not None:
            sys.stderr.write(printable(f"framing error: {error}\n"))
            return None
        received = os.read(0, _CHUNK)
    return None


def _root_of(params: object) -> str:
    named = params.get("storageRoot") if isinstance(params, dict) else None
    return named if isinstance(named, str) and os.path.isabs(named) else default_root()


def _refuse(message: object) -> None:
    if isinstance(message, Request):
        error = NotInitialized("send initialize first")
        _answer(encode_error(message.id, RpcError(error.code, error.message, dict(error.data))))
    elif isinstance(message, Rejected):
        _answer(encode_error(message.id, message.error))


def _answer(body: bytes) -> None:
    frame = encode_frame(body)
    while frame:
        frame = frame[os.write(1, frame) :]
