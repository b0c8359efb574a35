"""Turns a handler's exception into a JSON-RPC error, without tracebacks and paths of this program."""

import logging
import secrets
from asyncio import CancelledError
from collections.abc import Callable

from sidecar.rpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, ConnectionClosed, RpcError

MapError = Callable[[Exception], RpcError | None]

_log = logging.getLogger(__name__)


def describe_failure(error: BaseException, map_error: MapError | None = None) -> RpcError:
    """Return the error to answer with; unexpected ones are logged under a correlation id."""
    if isinstance(error, RpcError):
        return error
    if isinstance(error, CancelledError):
        return RpcError(REQUEST_CANCELLED, "the request was cancelled")
    if isinstance(error, ConnectionClosed):
        return RpcError(REQUEST_CANCELLED, str(error))
    if isinstance(error, Exception) and map_error is not None:
        try:
            mapped = map_error(error)
        except Exception as failure:
            return _internal_error(failure)
        if mapped is not None:
            return mapped
    return _internal_error(error)


def _internal_error(error: BaseException) -> RpcError:
    correlation_id = secrets.token_hex(4)
    _log.error("internal error, correlation id %s", correlation_id, exc_info=error)
    text = f"internal error (correlation id {correlation_id})"
    return RpcError(INTERNAL_ERROR, text, {"correlationId": correlation_id})
