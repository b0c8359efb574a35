"""The worker process of the pool: read tasks for the parent process until the input ends."""

import gc
import logging
import os
import signal
import struct
import sys
from typing import IO, Final

import msgspec

from sidecar.api.stored.tasks import Product, Rules
from sidecar.history.stores.contract import Root, Store
from sidecar.history.stores.index_row import IndexRow
from sidecar.history.stores.registry import open_store
from sidecar.private_memory import close_memory

READY: Final = b"ready"
"""The first frame; any failure after it is caused by a task."""
GARBAGE_THRESHOLDS: Final = (50_000, 20, 20)
"""Messages have no cycles; garbage collection would take half the time of reading a damaged file."""
_LENGTH: Final = struct.Struct("<I")


class Batch(msgspec.Struct, array_like=True):
    """Tasks of one root to read."""

    root: str
    product: Product | None
    rules: Rules
    now: int
    names: list[str]
    copies: str = ""


class Answer(msgspec.Struct, array_like=True):
    """The result of a batch; `notes` are lines for the log."""

    rows: dict[str, IndexRow | None]
    notes: list[str]


def send_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one frame."""
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive_frame(stream: IO[bytes]) -> bytes:
    """Read one frame. Raises EOFError if the other side closed the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) == _LENGTH.size:
        (length,) = _LENGTH.unpack(head)
        data = stream.read(length)
        if len(data) == length:
            return data
    raise EOFError


class _Notes(logging.Handler):
    """Collect log messages for the next answer; the parent writes them to its log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def serve(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Read batches until the input ends."""
    notes = _Notes()
    logging.getLogger().addHandler(notes)
    stores: dict[str, Store] = {}
    decoder = msgspec.msgpack.Decoder(Batch)
    send_frame(stdout, READY)
    while True:
        batch = decoder.decode(receive_frame(stdin))
        if (store := stores.get(batch.root)) is None:
            store = stores[batch.root] = open_store(Root(batch.root, True, batch.product, batch.copies))
        store.shared()
        rows = store.rows(batch.names, batch.rules, batch.now)
        send_frame(stdout, msgspec.msgpack.encode(Answer(rows, notes.lines)))
        notes.lines = []


def main() -> None:
    """Serve the parent process; keep stray output out of the answers."""
    close_memory()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles the terminal's interrupt
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(sys.stdin.buffer, stdout)
    except (EOFError, BrokenPipeError):
        os._exit(0)
