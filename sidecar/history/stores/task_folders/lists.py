"""Read the lists of tasks that products keep next to the folders.

A list is as reliable as the file of a task, unless it may be stale: then its entries are only hints.
"""

import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import Parser, clean, decode_leniently, decode_object
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import UNREAD, Stamp, read_file, stamp_of
from sidecar.history.stores.contract import Root
from sidecar.history.stores.task_folders.products import LISTS, TaskList
from sidecar.history.stores.task_folders.records import ListEntry

_entries: Final = Parser(ListEntry)
_entry_decoder: Final = msgspec.json.Decoder(ListEntry)

Entries = dict[str, ListEntry]


class RootLists(msgspec.Struct, frozen=True):
    """The lists of one root, with the stamps that show whether they are still current.

    `by_list` are the entries of each list, by its place. One that could not be read has the stamp `UNREAD`.
    """

    entries: Entries = {}
    hints: Entries = {}
    stamps: tuple[Stamp | None, ...] = (None,) * len(LISTS)
    by_list: Mapping[str, Entries] = {}

    def place_of(self, task_id: str) -> str:
        """The list, relative to the root, that the entry of a task is in; the last one without an entry."""
        places = [each.place for each in LISTS if not each.is_hint]
        return next((it for it in reversed(places) if task_id in self.by_list.get(it, {})), places[-1])


def list_paths(root: Root) -> list[str]:
    """The paths of the lists that products may keep."""
    return [f"{root.path}{os.sep}{each.place.replace('/', os.sep)}" for each in LISTS]


def read_lists(root: Root, known: RootLists) -> RootLists:
    """Read a root's lists, or return `known` while the files are unchanged; damage never costs a task."""
    paths = list_paths(root)
    stamps = list(map(stamp_of, paths))
    if tuple(stamps) == known.stamps:
        return known
    found = {each.place: known.by_list.get(each.place, {}) for each in LISTS}
    for number, (each, path) in enumerate(zip(LISTS, paths, strict=True)):
        if stamps[number] == known.stamps[number]:
            continue
        if (entries := _read(each, path)) is not None:
            found[each.place] = entries
        else:
            stamps[number] = UNREAD
    if tuple(stamps) == known.stamps:  # all that changed still cannot be read
        return known
    return RootLists(_joined(found, False), _joined(found, True), tuple(stamps), found)


def parse_entry(data: bytes, name: str) -> tuple[ListEntry | None, list[Problem]]:
    """Parse a list entry from the file `name`; None when it is not a JSON object."""
    entry, problems = decode_object(_entry_decoder.decode, data, name)
    if entry is None:
        problems = [problem("malformed", f"{name} holds no JSON object")]
    return entry, problems


def _joined(found: Mapping[str, Entries], hints: bool) -> Entries:
    joined: Entries = {}
    for each in LISTS:
        if each.is_hint is hints:
            joined |= found[each.place]
    return joined


def _read(listed: TaskList, path: str) -> Entries | None:
    """Read a list; None if its file cannot be read now."""
    file = read_file(path, listed.place)
    if any(each.code == "unreadable" for each in file.problems):
        return None
    data = file.data
    if data and listed.member is not None:
        holder = decode_leniently(_holder_decoder(listed.member).decode, clean(data, "")[0])
        data = bytes(holder.entries) if holder is not None else None
    records = _entries.parse(data, listed.place).records if data else []
    return {entry.id: entry for entry in records if isinstance(entry.id, str)}


@cache
def _holder_decoder(member: str) -> msgspec.json.Decoder[Any]:
    """Make a decoder of an object whose `member` holds the entries."""
    fields = [("entries", msgspec.Raw, msgspec.Raw())]
    return msgspec.json.Decoder(msgspec.defstruct("_Holder", fields, rename={"entries": member}))
