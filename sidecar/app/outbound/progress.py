"""Progress of one request, told to the client that asked for it."""

from types import TracebackType
from typing import Any, Self

from sidecar.api.lifecycle import ProgressMessage
from sidecar.rpc.connection import Connection


class Progress:
    """Send `$/progress` begin and end around a piece of work; nothing without a token."""

    def __init__(self, connection: Connection, token: str | int | None, title: str = "") -> None:
        self._connection = connection
        self._token = token
        self._title = title

    def __enter__(self) -> Self:
        self._send({"kind": "begin", "title": self._title})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._send({"kind": "end"})

    def report(self, message: str) -> None:
        """Say how far the work has come."""
        self._send({"kind": "report", "message": message})

    def _send(self, value: dict[str, Any]) -> None:
        if self._token is not None:
            message = ProgressMessage(token=self._token, value=value)
            self._connection.notify("$/progress", message, coalesce=self._token)
