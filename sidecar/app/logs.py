"""Logging that never makes the event loop wait for whoever should read stderr."""

import contextlib
import logging
import logging.handlers
import queue

MAX_QUEUED = 1_000
"""Log records kept for a slow reader of stderr; later ones are dropped until it reads."""


class _BoundedHandler(logging.handlers.QueueHandler):
    def enqueue(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(queue.Full):
            self.queue.put_nowait(record)


def log_to_stderr(level: str) -> logging.handlers.QueueListener:
    """Send records of `level` and above to stderr by a thread of their own; the caller stops it."""
    stderr = logging.StreamHandler()
    stderr.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    records: queue.Queue[logging.LogRecord] = queue.Queue(MAX_QUEUED)
    logging.basicConfig(level=level.upper(), format="%(message)s", handlers=[_BoundedHandler(records)])
    listener = logging.handlers.QueueListener(records, stderr)
    listener.start()
    return listener
