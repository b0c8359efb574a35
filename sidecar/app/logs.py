"""Logging that never blocks the event loop on stderr."""

import asyncio
import contextlib
import logging
import logging.handlers
import queue
from collections.abc import Callable
from typing import Literal

from sidecar.api.lifecycle import LogMessage
from sidecar.printable import printable

MAX_QUEUED = 1_000
"""How many log records wait for a slow reader of stderr; later ones are dropped."""


class _BoundedHandler(logging.handlers.QueueHandler):
    def enqueue(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(queue.Full):
            self.queue.put_nowait(record)


class _PrintableFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


def log_to_stderr(level: str) -> logging.handlers.QueueListener:
    """Write records of `level` and above to stderr in a thread, and return its listener. The caller stops it.

    Unprintable characters are escaped, because records quote agents and files.
    """
    stderr = logging.StreamHandler()
    stderr.setFormatter(_PrintableFormatter("%(levelname)s %(name)s: %(message)s"))
    records: queue.Queue[logging.LogRecord] = queue.Queue(MAX_QUEUED)
    logging.basicConfig(level=level.upper(), format="%(message)s", handlers=[_BoundedHandler(records)])
    listener = logging.handlers.QueueListener(records, stderr)
    listener.start()
    return listener


class ClientLogHandler(logging.Handler):
    """Send log records to the client as the notification `log`, from any thread.

    `send` is called in the event loop. After the loop has ended, records go only to stderr.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, send: Callable[[LogMessage], None]) -> None:
        super().__init__()
        self._loop = loop
        self._send = send
        # Sending a log record about a problem of the connection would add to the problem.
        self.addFilter(lambda record: not record.name.startswith("sidecar.rpc"))

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record without its traceback, which only stderr gets."""
        message = LogMessage(level=_wire_level(record.levelno), message=record.getMessage())
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._send, message)


def _wire_level(number: int) -> Literal["debug", "info", "warning", "error"]:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warning"
    return "info" if number >= logging.INFO else "debug"
