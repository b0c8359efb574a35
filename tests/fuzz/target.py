"""What is fuzzed: bytes go through every reader of stored tasks, none may raise or contradict another."""

from sidecar.api.errors import InvalidParams
from sidecar.history.export.redaction import Redactor
from sidecar.history.query import QueryError, parse_query
from sidecar.history.search.words import match_expression
from sidecar.history.stored.message_file import index_messages, iter_messages, read_from, read_messages
from sidecar.history.stored.parsing import clean, elements
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.task_folders.files import API_FILE, ITEM_FILE, METADATA_FILE, UI_FILE, TaskFiles
from sidecar.history.stores.task_folders.messages.reader import message_of
from sidecar.history.stores.task_folders.messages.touched import touched_files
from sidecar.history.stores.task_folders.rules import read_row
from sidecar.history.stores.task_folders.structural.view import TaskSource
from sidecar.rpc.transport.encoding import encode_json

_STAMP = (1, 1, 1, 1)
_NOW = 1_776_254_400_000
_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"


def read_all(data: bytes) -> None:
    """Put the bytes in the place of each file of a task, of a query and of a text."""
    _rows(data)
    _streams(data)
    _texts(data.decode("utf-8", "replace"))


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
    # Zero bytes at the end make the whole-file reader strip more in front: only then may they differ.
    if not data.endswith(b"\0"):
        cleaned, _ = clean(data, "x")
        whole = elements(cleaned, "x", [])
        assert [part.decode("utf-8", "replace").encode() for part in parts] == whole
    for place, part in enumerate(parts):
        assert message_of("ui", place, part, None).index == message_of("api", place, part, None).index
    touched_files(parts, parts, data)


def _texts(text: str) -> None:
    redactor = Redactor()
    redactor.text(text)
    try:
        parse_query(text)
    except QueryError as error:
        assert 0 <= error.position <= len(text)
    try:
        match_expression(text)
    except InvalidParams:
        return


def _stored(name: str, data: bytes) -> StoredFile:
    return StoredFile(name, data, _STAMP)
