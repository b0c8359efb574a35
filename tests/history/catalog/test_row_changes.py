from collections.abc import Iterator

import pytest

from sidecar.history.catalog.row_changes import RowChanges
from sidecar.history.stores.index_row import IndexRow


class CountedRows(dict[str, IndexRow]):
    """Rows that count how often one is looked up."""

    lookups = 0

    def get(self, key: str, default: IndexRow | None = None) -> IndexRow | None:  # type: ignore[override]
        """Return a row."""
        self.lookups += 1
        return super().get(key, default)


def row(name: str, parent: str | None, body: bytes = b"x") -> IndexRow:
    return IndexRow(name, 1, b"", None, None, "completed", 0, body, child_of=parent)


def chain(length: int, first: str | None = None) -> Iterator[IndexRow]:
    """Make rows each of which is a child of the one before."""
    yield row("0", first)
    yield from (row(str(place), str(place - 1)) for place in range(1, length))


@pytest.mark.parametrize("first", [None, "199"], ids=["chain", "circle"])
def test_sessions_above_many_changed_ones_are_each_looked_up_a_few_times_only(first: str | None) -> None:
    rows = CountedRows({each.id: each for each in chain(200, first)})
    changes = RowChanges()
    for each in rows.values():
        changes.note(each.id, row(each.id, each.child_of, b"old"), each)
    changes.note_ancestors([*rows.values()], rows)
    assert rows.lookups <= 3 * len(rows)
    assert changes.collect() == dict.fromkeys(rows, "changed")


def test_all_sessions_above_a_changed_one_change() -> None:
    rows = {each.id: each for each in (*chain(4), row("side", "1"))}
    changes = RowChanges()
    changes.note_ancestors([rows["3"], rows["side"], None], rows)
    assert changes.collect() == dict.fromkeys(("2", "1", "0"), "changed")
