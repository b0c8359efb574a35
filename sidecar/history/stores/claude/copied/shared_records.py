"""Find the sessions that share records, and those that summaries in other files name. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from sidecar.history.stores.claude.copied.links import Links, hashes
from sidecar.history.stores.claude.copied.multimap import Multimap
from sidecar.history.stores.claude.copied.sharing import Sharing


class SharedRecords:
    """The links of all files of a root, by key."""

    def __init__(self) -> None:
        self.links: dict[str, Links] = {}
        self._starts = Multimap()
        """The files in which a copy may start at a record."""
        self._sharing = Sharing()
        self._leaves: dict[int, str] = {}
        """Titles of the sessions that hold a record, and the sessions that hold one of them."""
        self._holders: defaultdict[int, set[str]] = defaultdict(set)
        self.names: dict[str, str] = {}
        """The titles that summaries in other files give sessions without a name."""

    def update(self, changed: Mapping[str, Links | None]) -> set[str]:
        """Take the links of changed and removed files; return the keys of all whose group may differ."""
        before = self._sharing.groups(changed)
        new_starts = Multimap()
        new_leaves: dict[int, str] = {}
        for key, links in changed.items():
            known = self.links.pop(key, None)
            old = set(hashes(known.starts)) if known is not None else set()
            new = set(hashes(links.starts)) if links is not None else set()
            self._starts.discard(old - new, key)
            for start in new - old:
                self._starts.add(start, key)
                new_starts.add(start, key)
            if links is not None:
                self.links[key] = links
                new_leaves |= {leaf: text for leaf, text in links.leaves if self._leaves.get(leaf) != text}
            else:
                self._sharing.remove(key)
        self._leaves |= new_leaves
        self._look_up(changed.keys(), self._starts, self._leaves)
        if new_starts or new_leaves:
            self._look_up(self.links.keys() - changed.keys(), new_starts, new_leaves)
        before |= self._name()
        return before | self._sharing.groups(changed)

    def group(self, key: str) -> set[str]:
        """Return the files that share records with a file, directly or through others; with itself."""
        return self._sharing.group(key)

    def _name(self) -> set[str]:
        """Find the names that summaries give; return the sessions whose name differs."""
        names: dict[str, str] = {}
        for leaf, text in self._leaves.items():
            holders = self._holders[leaf] & self.links.keys()
            if holders and not self.links[key := in_order(holders, self.links)[0]].named:
                names[key] = text
        differing = {key for key, _ in self.names.items() ^ names.items()}
        self.names = names
        return differing

    def _look_up(self, keys: Iterable[str], starts: Multimap, leaves: Mapping[int, str]) -> None:
        """Pair files with those in which a copy starts at one of their records, and find leaves in them."""
        wanted, leaf_hashes = starts.numbers(), {*leaves}
        found: defaultdict[int, list[str]] = defaultdict(list)
        for key in keys:
            links = self.links.get(key)
            if links is None:
                continue
            # Without a set of all records, which takes three times as long as looking them up.
            held = hashes(links.records)
            for start in wanted.intersection(held):
                found[start].append(key)
            for leaf in leaf_hashes.intersection(held) if leaf_hashes else ():
                self._holders[leaf].add(key)
        for start, holders in found.items():
            self._sharing.add(start, {*holders, *starts.texts(start)})


def in_order(keys: Collection[str], links: Mapping[str, Links]) -> list[str]:
    """Order files so that a record belongs to the first that holds it.

    A session comes before a subagent's file, and one that is not marked as a branch before one that is. Then
    one that begins with a record that is never copied comes before others. These follow by their first record
    that is never copied or, if one of them has none, by their end.
    """
    sessions = [links[key] for key in keys if links[key].parent is None]
    some = [each for each in sessions if not (each.is_first or each.is_branch)]
    by_end = not all(each.never_copied for each in some)

    def place(key: str) -> tuple[bool, bool, bool, str, str, str]:
        found = links[key]
        since = "" if by_end and not found.is_first else found.never_copied
        return (
            found.parent is not None,
            found.is_branch,
            not found.is_first,
            since or found.end,
            found.end,
            key,
        )

    return sorted(keys, key=place)
