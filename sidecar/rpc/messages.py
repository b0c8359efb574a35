"""Parse JSON-RPC 2.0 envelopes: turn a frame's body into one of four kinds of message, without I/O."""

import json
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

import orjson

from sidecar.rpc.errors import INVALID_REQUEST, PARSE_ERROR, RpcError

MessageId = str | int


@dataclass(frozen=True, slots=True)
class Request:
    """A call that must get exactly one answer. `params` is whatever the peer sent; absent or null is {}."""

    id: MessageId
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Notification:
    """A call that gets no answer."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Response:
    """The peer's answer to a request of ours: a result, or an error."""

    id: MessageId | None
    result: Any
    error: RpcError | None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A body that is not a JSON-RPC message: the error to answer with, and the ID if there is a valid one."""

    id: MessageId | None
    error: RpcError


Message = Request | Notification | Response | Rejected


def parse_message(body: bytes) -> Message:
    """Read one message. Never raises: returns Rejected for a body that cannot be read."""
    try:
        data = _load(body)
    except ValueError as error:
        return Rejected(None, RpcError(PARSE_ERROR, f"the message is not JSON: {error}"))
    if isinstance(data, list):
        return _refuse(None, "batches are not supported: send each message in its own frame")
    if not isinstance(data, dict):
        return _refuse(None, "a message must be a JSON object")
    if "id" in data:
        data["id"] = _exact_id(data["id"], body)
    return _classify(data)


def is_message_id(value: object) -> TypeGuard[MessageId]:
    """Return whether a value may be a request id: a string or an integer, but not a boolean."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _classify(data: dict[str, Any]) -> Message:
    if "method" not in data and ("result" in data or "error" in data):
        return _response(data)
    has_id = "id" in data
    message_id = data["id"] if has_id and is_message_id(data["id"]) else None
    if data.get("jsonrpc") != "2.0":
        return _refuse(message_id, 'the member "jsonrpc" must be "2.0"')
    if has_id and message_id is None:
        return _refuse(None, 'the member "id" must be a string or an integer')
    method = data.get("method")
    if not isinstance(method, str):
        return _refuse(message_id, 'the member "method" must be a string')
    params = data.get("params")
    if params is None:
        params = {}
    return Notification(method, params) if message_id is None else Request(message_id, method, params)


def _response(data: dict[str, Any]) -> Message:
    """Read an answer. A faulty one is refused with ID null: its ID is one of ours, not the peer's."""
    message_id = data.get("id")
    if data.get("jsonrpc") != "2.0":
        return _refuse(None, 'the member "jsonrpc" must be "2.0"')
    if message_id is not None and not is_message_id(message_id):
        return _refuse(None, 'the member "id" must be a string or an integer')
    if "error" not in data or data["error"] is None:
        return Response(message_id, data.get("result"), None)
    return Response(message_id, None, _peer_error(data["error"]))


def _peer_error(error: Any) -> RpcError:
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        return RpcError(INVALID_REQUEST, f"the peer answered with a malformed error: {str(error)[:200]}")
    return RpcError(error["code"], str(error.get("message", "")), error.get("data"))


def _refuse(message_id: MessageId | None, text: str) -> Rejected:
    return Rejected(message_id, RpcError(INVALID_REQUEST, text))


def _load(body: bytes) -> Any:
    """Parse JSON, lone surrogates included: JavaScript writes them, and orjson refuses the whole message."""
    try:
        return orjson.loads(memoryview(body))  # orjson refuses subclasses of bytes, such as Frame
    except orjson.JSONDecodeError as error:
        if b"\\u" not in body:
            raise
        try:
            return _load_slowly(body)
        except (ValueError, RecursionError):
            raise error from None


def _load_slowly(body: bytes) -> Any:
    return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _exact_id(value: Any, body: bytes) -> Any:
    """Restore an integer ID beyond 64 bits: orjson reads a float, and IDs are echoed exactly."""
    if not isinstance(value, float):
        return value
    try:
        return _load_slowly(body)["id"]
    except (ValueError, RecursionError):
        return value
