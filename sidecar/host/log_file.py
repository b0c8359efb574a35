"""The Host's log: a file in the root, which also receives what the process writes to standard error."""

import logging
import logging.handlers
import os
from pathlib import Path
from typing import Final

from sidecar.printable import printable

MAX_BYTES: Final = 1024 * 1024
"""The size at which the file is renamed to `host.log.1`, replacing the one before."""


class _LogFile(logging.handlers.RotatingFileHandler):
    """A private file; standard error goes to it too, so that a crash leaves a trace."""

    def _open(self):  # type: ignore[no-untyped-def]  # as declared in logging
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        opened = os.open(self.baseFilename, flags | os.O_NONBLOCK, 0o600)  # nor wait for the reader of a pipe
        os.dup2(opened, 2)
        return os.fdopen(opened, "a", encoding="utf-8", errors="backslashreplace")


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


def log_to_file(path: Path) -> None:
    """Log warnings to a file, or nothing if it cannot be written."""
    try:
        handler: logging.Handler = _LogFile(path, maxBytes=MAX_BYTES, backupCount=1)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("pygls").setLevel(logging.WARNING)
