"""Decode the request with which a process connects to the Host.

`attaching.request_bytes` writes them: `LENGTH LENGTH\\n`, then that many bytes of fields and of input. A
field is `name=value`; NUL separates fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MAX_REQUEST_BYTES: Final = 80 * 1024 * 1024
"""The environment, and a frame of the largest size that the client read before it attached."""
_MAX_HEAD_BYTES: Final = 40
_ENVIRONMENT: Final = "env."


@dataclass(frozen=True)
class HostRequest:
    """What a process asks of the Host: `verb` is `attach`, `status` or `stop`.

    `early` is what an attaching client has already read from its standard input.
    """

    verb: str
    version: str
    options: Mapping[str, str]
    environment: Mapping[str, str]
    early: bytes = b""


def decode(received: bytes | bytearray) -> HostRequest | None:
    """Return the request in these bytes, None while more must follow. Raises ValueError."""
    line, newline, _ = bytes(received[:_MAX_HEAD_BYTES]).partition(b"\n")
    if not newline:
        if len(received) >= _MAX_HEAD_BYTES:
            raise ValueError("it does not begin with two lengths")
        return None
    fields_length, _, early_length = line.partition(b" ")
    if not (fields_length.isdigit() and early_length.isdigit()):
        raise ValueError("it does not begin with two lengths")
    start = len(line) + 1
    middle = start + int(fields_length)
    end = middle + int(early_length)
    if not start <= middle <= end <= MAX_REQUEST_BYTES:
        raise ValueError(f"its lengths are wrong, or it is over {MAX_REQUEST_BYTES} bytes")
    if len(received) < end:
        return None
    text = bytes(received[start:middle]).decode("utf-8", "surrogateescape")
    return _request(
        dict(field.partition("=")[::2] for field in text.split("\0")), bytes(received[middle:end])
    )


def _request(fields: dict[str, str], early: bytes) -> HostRequest:
    environment = {
        name.removeprefix(_ENVIRONMENT): fields.pop(name)
        for name in list(fields)
        if name.startswith(_ENVIRONMENT)
    }
    if "verb" not in fields or "version" not in fields:
        raise ValueError("it does not name a verb and a version")
    return HostRequest(fields.pop("verb"), fields.pop("version"), fields, environment, early)
