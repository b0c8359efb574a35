"""Find the root of a client that names it in `initialize` rather than on the command line."""

import os

from sidecar.user_dirs import default_root

_CHUNK = 256 * 1024
_HEADER = b"Content-Length: "
_REQUEST = {b"jsonrpc", b"id", b"method", b"params"}


def read_root() -> tuple[str, bytes] | None:
    """Read standard input until `initialize`; return the client's root and the bytes to answer.

    None when the input ends or has no frames, or the client exits first.
    """
    received = os.read(0, _CHUNK)
    root = _quick(received)
    if root is not None:
        return root, received
    from sidecar.host.attach.early_messages import read_until_initialize  # here, since almost nobody needs it

    return read_until_initialize(received)


def _quick(received: bytes) -> str | None:
    """Return the root in bytes that are a plain `initialize`, without a JSON parser; None for any other."""
    header, _, rest = received.partition(b"\r\n\r\n")
    length = header.removeprefix(_HEADER)
    if not header.startswith(_HEADER) or not length.isdigit():
        return None
    body = rest[: int(length)]
    if len(body) < int(length) or b"\\" in body:
        return None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    message, params = _members(body.split(b'"'))
    if message.keys() != _REQUEST or message[b"method"] != b"initialize" or message[b"jsonrpc"] != b"2.0":
        return None
    if not message[b"id"].rstrip(b", \r\n\t").isdigit() or not message[b"params"].startswith(b"{"):
        return None
    if b"storageRoot" not in params:
        return default_root()
    root = params[b"storageRoot"]
    return root.decode("utf-8") if root.startswith(b"/") else None


def _members(parts: list[bytes]) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """Return the members of a JSON object and of its member `params`; none if a name is repeated.

    `parts` are the pieces of a text without escapes, split at quotation marks: every second one is a string.
    A value is the text of a string, else the text up to the next quotation mark.
    """
    found: tuple[dict[bytes, bytes], dict[bytes, bytes]] = {}, {}
    depth, within = 0, b""
    for number in range(1, len(parts) - 1, 2):
        before, name, after = parts[number - 1 : number + 2]
        depth += sum(map(before.count, (b"{", b"["))) - sum(map(before.count, (b"}", b"]")))
        value = after.strip()
        if not value.startswith(b":") or not (depth == 1 or (depth == 2 and within == b"params")):
            continue
        members = found[depth - 1]
        if name in members:
            return {}, {}
        within = name if depth == 1 else within
        value = value[1:].lstrip()
        members[name] = value or b"".join(parts[number + 2 : number + 3])
    return found
