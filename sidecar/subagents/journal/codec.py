"""Encode and decode the JSON of the journal and the transcripts, quickly and without loss for any string."""

import json
from typing import Any

import msgspec
import orjson


def encode(value: Any) -> bytes:
    """Return compact JSON of builtins and msgspec Structs.

    The fast encoders reject lone surrogates and integers beyond 64 bits, so the standard library encodes
    those with ASCII escapes. Raises TypeError for values that JSON cannot represent.
    """
    try:
        return orjson.dumps(value, default=_struct)
    except (orjson.JSONEncodeError, TypeError):
        plain = msgspec.to_builtins(value, str_keys=True)
        return json.dumps(plain, separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """Return the value given to `encode`, with Structs as dicts. Raises ValueError for invalid JSON.

    An integer beyond 64 bits may become the nearest double, as in JavaScript.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def _struct(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return orjson.Fragment(msgspec.json.encode(value))
    raise TypeError(f"JSON cannot represent a {type(value).__name__}")
