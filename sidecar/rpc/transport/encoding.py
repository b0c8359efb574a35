"""Encode messages as JSON: by orjson, msgspec for Structs, and the standard library for what both refuse."""

import json
import math
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from sidecar.rpc.errors import EncodingError, RpcError

if TYPE_CHECKING:
    from sidecar.rpc.messages import MessageId


def encode_request(message_id: "MessageId", method: str, params: Any) -> bytes:
    """Encode a request. Raises EncodingError when `params` has no JSON form."""
    return encode_json({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params})


def encode_notification(method: str, params: Any) -> bytes:
    """Encode a notification. Raises EncodingError when `params` has no JSON form."""
    return encode_json({"jsonrpc": "2.0", "method": method, "params": params})


def encode_result(message_id: "MessageId", result: Any) -> bytes:
    """Encode the answer to a request. Raises EncodingError when `result` has no JSON form."""
    return encode_json({"jsonrpc": "2.0", "id": message_id, "result": result})


def encode_error(message_id: "MessageId | None", error: RpcError) -> bytes:
    """Encode an error answer. Never raises: `data` without a JSON form is replaced by a note."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    envelope = {"jsonrpc": "2.0", "id": message_id, "error": body}
    try:
        return encode_json(envelope)
    except EncodingError as failure:
        body["data"] = {"omitted": str(failure)}
        return encode_json(envelope)


def encode_json(value: Any) -> bytes:
    """Encode plain values with msgspec Structs anywhere in them; NaN and infinities become null.

    Lone surrogates and integers beyond 64 bits, which orjson refuses, take longer.
    Raises EncodingError for what has no JSON form, such as a set.
    """
    try:
        if isinstance(value, msgspec.Struct):
            return msgspec.json.encode(value)
        return orjson.dumps(value, default=_struct_fragment)
    except (TypeError, UnicodeEncodeError, OverflowError):
        return _encode_slowly(value)


def _struct_fragment(value: Any) -> orjson.Fragment:
    """Let msgspec write a Struct's bytes straight into the message: the big lists are lists of Structs."""
    if isinstance(value, msgspec.Struct):
        return orjson.Fragment(msgspec.json.encode(value))
    raise TypeError(type(value).__name__)


def _encode_slowly(value: Any) -> bytes:
    try:
        return json.dumps(_plain(value), allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise EncodingError(f"no JSON form: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _plain(msgspec.to_builtins(value))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
