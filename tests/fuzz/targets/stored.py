"""Files of stored tasks: no reader raises or contradicts another."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from sidecar.history.stored.message_file import index_messages, iter_messages, read_from, read_messages
from sidecar.history.stored.parsing import clean, elements
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.task_folders.files import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE, TaskFiles
from sidecar.history.stores.task_folders.messages.reader import message_of
from sidecar.history.stores.task_folders.messages.touched import touched_files
from sidecar.history.stores.task_folders.rules import read_row
from sidecar.history.stores.task_folders.structural.view import TaskSource
from sidecar.rpc.transport.encoding import encode_json
from tests.generator import ERAS, HOSTILE, Era, generate
from tests.generator.hostile import API_BYTES, UI_BYTES, Hostile

_STAMP = (1, 1, 1, 1)
_NOW = 1_776_254_400_000
_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"


LARGEST = 4_096
"""Larger files cost more time than their mutations find."""
MOST = 4
"""Files of one task: some kinds of damage are hundreds of files."""


def read(data: bytes) -> None:
    """Put the bytes in the place of each file of a task."""
    _rows(data)
    _streams(data)


def _files(folder: Path) -> Iterable[bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    small = {path.read_bytes() for path in files if path.stat().st_size <= LARGEST}
    return sorted(small - {UI_BYTES, API_BYTES})[:MOST]


def _damaged(kind: Hostile, folder: Path) -> Iterable[bytes]:
    try:
        kind.make(folder)
    except NotImplementedError:  # not possible on this platform, or for this user
        return []
    return _files(folder)


def _sound(era: Era, folder: Path) -> Iterable[bytes]:
    generate(folder, era, 2, padding=5)
    return _files(folder)


SEEDS: dict[str, Callable[[Path], Iterable[bytes]]] = {
    **{kind.name: partial(_damaged, kind) for kind in HOSTILE},
    **{f"era-{era.name}": partial(_sound, era) for era in ERAS},
}


def _rows(data: bytes) -> None:
    for files in (
        TaskFiles(ui=_stored(UI_FILE, data), api=_stored(API_FILE, data)),
        TaskFiles(
            ui=_stored(UI_FILE, b"[]"),
            item=_stored(ITEM_FILE, data),
            metadata=_stored(METADATA_FILE, data),
        ),
    ):
        source = TaskSource(_ID, "/root", None, files, None, None, _NOW)
        structural, guide = read_row(source, "structural"), read_row(source, "guide")
        assert structural.info is not None and encode_json(structural.info) and encode_json(guide.info)
        assert all(problem.code != "internal" for problem in structural.info.problems)


def _streams(data: bytes) -> None:
    read_at = read_from(data)
    parts = list(iter_messages(read_at))
    index = index_messages(read_at)
    assert index.total == len(parts)
    assert read_messages(read_at, index, 0, index.total) == parts
    # Zero bytes at the end make the whole-file reader strip more at the start: only then do they differ.
    if not data.endswith(b"\0"):
        cleaned, _ = clean(data, "x")
        whole = elements(cleaned, "x", [])
        assert [part.decode("utf-8", "replace").encode() for part in parts] == whole
    for place, part in enumerate(parts):
        assert message_of("ui", place, part, None).index == message_of("api", place, part, None).index
    touched_files(parts, parts, data)


def _stored(name: str, data: bytes) -> StoredFile:
    return StoredFile(name, data, _STAMP)
