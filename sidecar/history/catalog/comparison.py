"""Find rows that are out of date by comparing fingerprints. Pure."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from sidecar.history.stores.contract import Keys
from sidecar.history.stores.index_row import IndexRow

_key: Final = attrgetter("key")
_entry: Final = attrgetter("entry")


def is_unchanged(seen: Mapping[str, int], rows: Mapping[str, IndexRow], entries: Mapping[str, bytes]) -> bool:
    """Return whether nothing changed, in a third of the time of `changed_names`; False may be wrong."""
    return (
        not entries
        and seen == dict(zip(rows, map(_key, rows.values()), strict=True))
        and not any(map(_entry, rows.values()))
    )


def changed_names(
    seen: Mapping[str, int], rows: Mapping[str, IndexRow], entries: Mapping[str, bytes], now: int
) -> Keys:
    """Return the tasks without a row, or whose files, list entries or times changed since it was made."""
    return [
        name
        for name, key in seen.items()
        if (row := rows.get(name)) is None
        or row.key != key
        or row.entry != (entries.get(name, b"") if entries else b"")
        or now >= row.until
    ]
