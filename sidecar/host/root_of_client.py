"""Find the root of a client that names it in `initialize` rather than on the command line."""

import os

from sidecar.user_dirs import default_root

_CHUNK = 256 * 1024
_HEADER = b"Content-Length: "
_INITIALIZE = b'"initialize"'
_MEMBER = b'"storageRoot"'


def read_root() -> tuple[str, bytes] | None:
    """Read standard input until `initialize`; return the client's root and the bytes to answer.

    None when the input ends, is no message stream, or the client exits first.
    """
    received = os.read(0, _CHUNK)
    root = _quick(received)
    if root is not None:
        return root, received
    from sidecar.host.early_messages import read_until_initialize  # here, since almost nobody needs it

    return read_until_initialize(received)


def _quick(received: bytes) -> str | None:
    """Return the root in bytes that are a plain `initialize`, without a JSON parser; None for any other."""
    header, _, rest = received.partition(b"\r\n\r\n")
    length = header.removeprefix(_HEADER)
    if not header.startswith(_HEADER) or not length.isdigit():
        return None
    body = rest[: int(length)]
    if len(body) < int(length) or body.count(_INITIALIZE) != 1 or body.count(_MEMBER) > 1:
        return None
    if _MEMBER not in body:
        return default_root()
    value = body.partition(_MEMBER)[2].lstrip().removeprefix(b":").lstrip()
    text = value[1:].partition(b'"')[0] if value.startswith(b'"') else b""
    if not text.startswith(b"/") or b"\\" in text:
        return None
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return None
