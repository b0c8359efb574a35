"""JSON bytes as the journal and the transcripts keep them: fast, and whole for any string."""

import json
from typing import Any

import msgspec
import orjson


def encode(value: Any) -> bytes:
    """Return compact JSON of builtins and msgspec Structs.

    Lone surrogates and integers beyond 64 bits, which the fast encoders refuse, are written by the
    standard library with ASCII escapes. Raises TypeError for what JSON cannot hold.
    """
    try:
        return orjson.dumps(value, default=_struct)
    except (orjson.JSONEncodeError, TypeError):
        plain = msgspec.to_builtins(value, str_keys=True)
        return json.dumps(plain, separators=(",", ":")).encode()


def decode(data: bytes) -> Any:
    """Return the value `encode` was given, Structs as dicts; raises ValueError for what is not JSON.

    An integer beyond 64 bits may come back as the nearest double, as it would in JavaScript.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def _struct(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return orjson.Fragment(msgspec.json.encode(value))
    raise TypeError(f"JSON cannot hold a {type(value).__name__}")
