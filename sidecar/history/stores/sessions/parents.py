"""Leave out the parent of a child session where it is not listed itself. Pure."""

from collections.abc import Mapping

from sidecar.history.stores.index_row import IndexRow, info_of, with_info


def with_listed_parent(row: IndexRow, parent: str, rows: Mapping[str, IndexRow]) -> IndexRow:
    """Return the row of a child session with its parent if that is listed, else without; maybe the same row.

    `parent` is what its files name, empty if they name none.
    """
    found = rows.get(parent)
    known = parent if found is not None and found.body and parent != row.id else ""
    if row.child_of == known or not row.body:
        return row
    info = info_of(row, "structural", 0)
    info.parent_id = known or None
    fitted = with_info(row, info)
    fitted.child_of = known
    return fitted
