"""The task lists the products keep beside the folders: entries by task id.

`state/taskHistory.json` (Cline) and `taskHistory` in `global-state.json` (Kilo's command line before 7) are
sources like the per-task file. `tasks/_index.json` (Roo) goes stale while a second window works, so its
entries are hints only.
"""

from typing import Final

import msgspec

from sidecar.api.tasks import Problem
from sidecar.history.stored.parsing import Parser, clean, decode_leniently, decode_object
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import Stamp, StoredFile, read_file, stamp_of
from sidecar.history.stored.records import ListEntry
from sidecar.history.stored.roots import CLINE_LIST, KILO_STATE, ROO_INDEX, Root


class _Index(msgspec.Struct):
    entries: list[ListEntry] = []


class _State(msgspec.Struct, rename="camel"):
    task_history: msgspec.Raw = msgspec.Raw()


_entries: Final = Parser(ListEntry)
_index_decoder: Final = msgspec.json.Decoder(_Index)
_state_decoder: Final = msgspec.json.Decoder(_State)
_entry_decoder: Final = msgspec.json.Decoder(ListEntry)

Entries = dict[str, ListEntry]


class RootLists(msgspec.Struct, frozen=True):
    """The lists of one root, with the stamps that tell whether they are still current.

    `in_state` are those of the `entries` that were read from Kilo's state.
    """

    entries: Entries = {}
    hints: Entries = {}
    stamps: tuple[Stamp | None, ...] = (None, None, None)
    in_state: frozenset[str] = frozenset()

    def place_of(self, task_id: str) -> str:
        """The list, relative to the root, that the entry of a task is in."""
        return KILO_STATE if task_id in self.in_state else CLINE_LIST


def read_lists(root: Root, known: RootLists) -> RootLists:
    """Read a root's lists, or return `known` while the files are unchanged; damage never costs a task."""
    paths = root.lists
    stamps = tuple(map(stamp_of, paths))
    if stamps == known.stamps:
        return known
    cline, index, state = map(read_file, paths, (CLINE_LIST, ROO_INDEX, KILO_STATE))
    own, kilo = _cline_entries(cline), _kilo_entries(state)
    return RootLists(kilo | own, _index_entries(index), stamps, frozenset(kilo.keys() - own.keys()))


def parse_entry(data: bytes, name: str) -> tuple[ListEntry | None, list[Problem]]:
    """Parse a list entry from the file `name`; None when it is not a JSON object."""
    entry, problems = decode_object(_entry_decoder.decode, data, name)
    if entry is None:
        problems = [problem("malformed", f"{name} holds no JSON object")]
    return entry, problems


def _cline_entries(file: StoredFile) -> Entries:
    return _by_id(_entries.parse(file.data, file.name).records) if file.data else {}


def _kilo_entries(file: StoredFile) -> Entries:
    state = decode_leniently(_state_decoder.decode, clean(file.data, "")[0]) if file.data else None
    return _by_id(_entries.parse(bytes(state.task_history), file.name).records) if state else {}


def _index_entries(file: StoredFile) -> Entries:
    if not file.data:
        return {}
    index = decode_leniently(_index_decoder.decode, clean(file.data, "")[0])
    return _by_id(index.entries) if index else {}


def _by_id(entries: list[ListEntry]) -> Entries:
    return {entry.id: entry for entry in entries if isinstance(entry.id, str)}
