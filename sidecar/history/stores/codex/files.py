"""The files that the calls of a session of Codex name."""

from collections.abc import Iterator, Sequence
from typing import Final

from sidecar.changes.file_change import FileChange
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.append_only.times import iso_ms
from sidecar.history.stores.codex.calls import CALLS, call_of, failed_call
from sidecar.history.stores.codex.layout import COMPRESSED, DOCUMENT
from sidecar.history.stores.codex.reader import lines_of
from sidecar.history.stores.codex.records import LINES, Payload, Record
from sidecar.history.stores.sessions.files import called_files, merged_files, patched_files, texts_in

_PATCH: Final = "*** Begin Patch"


def touched_files(paths: Sequence[str], workspace: str | None) -> list[FileChange]:
    """List the files that the calls of a session name, except those that failed."""
    failed: set[str] = set()
    calls: list[tuple[str | None, list[FileChange]]] = []
    for record in _records(paths):
        payload = record.payload
        if payload is None:
            continue
        if record.type == "response_item" and payload.type in CALLS:
            calls.append((payload.call_id, [*_files(payload, iso_ms(record.timestamp))]))
        elif (call := failed_call(payload)) is not None:
            failed.add(call)
    found = (change for call, changes in calls if call not in failed for change in changes)
    return merged_files(found, workspace)


def _files(payload: Payload, at: int | None) -> Iterator[FileChange]:
    name, given = call_of(payload)
    patch = next((text for text in texts_in(given) if _PATCH in text), None)
    if patch is not None:
        yield from patched_files(patch[patch.index(_PATCH) :], at)
    else:
        yield from called_files(name, given, at)


def _records(paths: Sequence[str]) -> Iterator[Record]:
    for path in paths:
        if path.endswith((COMPRESSED, DOCUMENT)):
            yield from LINES.decode(lines_of(path)[0] or b"", Damage())
            continue
        try:
            with open_growing(path, path, Position()) as growth:
                for block in growth.blocks():
                    yield from LINES.decode(block, Damage())
        except (OSError, Unreadable):
            continue
