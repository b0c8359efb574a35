"""Finds the method of a message and decides whether to serve it; pure."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sidecar.rpc.errors import INVALID_REQUEST, METHOD_NOT_FOUND, RpcError
from sidecar.rpc.messages import Notification, Request
from sidecar.rpc.params import convert_params

Admit = Callable[[str, bool], None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Method:
    """What serves one method: an async function of the converted params, and the Struct they must fit.

    A request that `waits` for something to happen does not count against those that work.
    """

    handler: Callable[..., Awaitable[Any]]
    params: type
    kind: Literal["request", "notification"]
    waits: bool = False


class Router:
    """The table of methods and the gate before it."""

    def __init__(self, methods: Mapping[str, Method], admit: Admit | None) -> None:
        self.methods = dict(methods)
        self._admit = admit

    def accept_request(self, request: Request) -> Request:
        """Return the request with converted params. Raises RpcError, or what `admit` raises."""
        if self._admit is not None:
            self._admit(request.method, True)
        method = self.methods.get(request.method)
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, f"unknown method {request.method}")
        if method.kind == "notification":
            raise RpcError(METHOD_NOT_FOUND, f"{request.method} is a notification: send it without an ID")
        return Request(request.id, request.method, convert_params(request.params, method.params))

    def accept_notification(self, notification: Notification) -> Notification | None:
        """Return the notification with converted params, None for one that is unknown or not admitted.

        Raises RpcError when it is a request's method, or the params do not fit: an error of the peer
        that nobody can answer.
        """
        try:
            if self._admit is not None:
                self._admit(notification.method, False)
        except Exception as error:
            _log.debug("refused the notification %s: %s", notification.method, error)
            return None
        method = self.methods.get(notification.method)
        if method is None:
            _log.debug("ignored the unknown notification %s", notification.method)
            return None
        if method.kind == "request":
            raise RpcError(INVALID_REQUEST, "it is a request: send it with an ID")
        return Notification(notification.method, convert_params(notification.params, method.params))
