"""The task lists the products keep beside the folders: entries by task id.

`state/taskHistory.json` (Cline) is a source like the per-task file. `tasks/_index.json` (Roo) goes stale
while a second window works, so its entries are hints only.
"""

from typing import Final

import msgspec

from sidecar.api.tasks import Problem
from sidecar.history.parsing import Parser, clean, decode_leniently, decode_object
from sidecar.history.problems import problem
from sidecar.history.reading import Stamp, StoredFile, read_file, stamp_of
from sidecar.history.records import ListEntry
from sidecar.history.roots import Root

INDEX_FILE: Final = "_index.json"
CLINE_LIST: Final = "taskHistory.json"


class _Index(msgspec.Struct):
    entries: list[ListEntry] = []


_entries: Final = Parser(ListEntry)
_index_decoder: Final = msgspec.json.Decoder(_Index)
_entry_decoder: Final = msgspec.json.Decoder(ListEntry)

Entries = dict[str, ListEntry]


class RootLists(msgspec.Struct, frozen=True):
    """The lists of one root, with the stamps that tell whether they are still current."""

    entries: Entries = {}
    hints: Entries = {}
    stamps: tuple[Stamp | None, Stamp | None] = (None, None)


def read_lists(root: Root, known: RootLists) -> RootLists:
    """Read a root's lists, or answer `known` while both files are unchanged; damage never costs a task."""
    paths = root.lists
    stamps = (stamp_of(paths[0]), stamp_of(paths[1]))
    if stamps == known.stamps:
        return known
    return RootLists(
        _cline_entries(read_file(paths[0], CLINE_LIST)),
        _index_entries(read_file(paths[1], INDEX_FILE)),
        stamps,
    )


def parse_entry(data: bytes, name: str) -> tuple[ListEntry | None, list[Problem]]:
    """Parse a list entry from the file `name`; None when it is not a JSON object."""
    entry, problems = decode_object(_entry_decoder.decode, data, name)
    if entry is None:
        problems = [problem("malformed", f"{name} holds no JSON object")]
    return entry, problems


def _cline_entries(file: StoredFile) -> Entries:
    return _by_id(_entries.parse(file.data, file.name).records) if file.data else {}


def _index_entries(file: StoredFile) -> Entries:
    if not file.data:
        return {}
    index = decode_leniently(_index_decoder.decode, clean(file.data, "")[0])
    return _by_id(index.entries) if index else {}


def _by_id(entries: list[ListEntry]) -> Entries:
    return {entry.id: entry for entry in entries if isinstance(entry.id, str)}
