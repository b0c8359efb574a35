"""Send the progress of a request to its client."""

import asyncio
import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from sidecar.api.lifecycle import ProgressMessage
from sidecar.rpc.connection import Connection


class Progress:
    """Send `$/progress` with begin, reports and end around some work; without a token, send nothing.

    Use it in the event loop, except for the function that `counter` returns.
    """

    def __init__(self, connection: Connection, token: str | int | None, title: str = "") -> None:
        self._connection = connection
        self._token = token
        self._title = title
        self._loop = asyncio.get_running_loop()
        self._percentage = -1
        self._is_over = False

    def __enter__(self) -> Self:
        self._send({"kind": "begin", "title": self._title})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._send({"kind": "end"})

    def counter(self) -> Callable[[int, int], None]:
        """Return a function for any thread that reports `done` of `total`, once for each percent."""

        def count(done: int, total: int) -> None:
            percentage = 100 * done // max(total, 1)
            if self._token is not None and percentage != self._percentage:
                self._percentage = percentage
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    self._loop.call_soon_threadsafe(self._report, f"{done} of {total}", percentage)

        return count

    def _report(self, message: str, percentage: int) -> None:
        if not self._is_over:
            self._send({"kind": "report", "message": message, "percentage": percentage})

    def _send(self, value: dict[str, Any]) -> None:
        if self._token is not None:
            message = ProgressMessage(token=self._token, value=value)
            self._connection.notify("$/progress", message, coalesce=self._token)
