"""Group the files that share records. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet


class Sharing:
    """Which files hold the same records; pairs of files would be millions for a thousand forks."""

    def __init__(self) -> None:
        self._files: defaultdict[int, set[str]] = defaultdict(set)
        self._records: defaultdict[str, set[int]] = defaultdict(set)

    def add(self, record: int, keys: AbstractSet[str]) -> None:
        """Record the files that hold a record."""
        if len(keys) > 1:
            self._files[record] |= keys
            for key in keys:
                self._records[key].add(record)

    def remove(self, key: str) -> None:
        """Forget a file."""
        for record in self._records.pop(key, ()):
            self._files[record].discard(key)

    def group(self, key: str) -> set[str]:
        """Return the files that share records with a file, directly or through others; with itself."""
        found, waiting = {key}, [key]
        checked: set[int] = set()
        while waiting:
            for record in self._records.get(waiting.pop(), set()) - checked:
                checked.add(record)
                new = self._files[record] - found
                found |= new
                waiting += new
        return found

    def groups(self, keys: Iterable[str]) -> set[str]:
        """Return the files in the groups of all these files."""
        found: set[str] = set()
        for key in keys:
            if key not in self._records:  # nearly all
                found.add(key)
            elif key not in found:
                found |= self.group(key)
        return found
