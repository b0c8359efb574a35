"""Report copies that the list of kept copies no longer names, and copies that are missing."""

from collections.abc import Iterator
from typing import Final

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.storage.kept.copies import copies_in

_MOST_NAMED: Final = 3


def lost_copies(catalog: RootCatalog) -> Iterator[tuple[str, str, str]]:
    """Return the path, the code and the message of what is lost, judged by the last scan.

    Nothing is lost while the original of a session exists: it is copied again.
    """
    copies = copies_in(catalog.root.copies)
    if (loss := copies.loss()) is not None:
        yield copies.list, "lostCopies", loss
    if missing := copies.missing():
        rows = catalog.rows("structural").values()
        gone = sorted({*missing} - {row.within or row.id for row in rows if row.body})
        sessions = "1 kept session" if len(gone) == 1 else f"{len(gone)} kept sessions"
        if gone:
            names = ", ".join(gone[:_MOST_NAMED]) + ", …" * (len(gone) > _MOST_NAMED)
            message = f"copied files of {sessions} are missing, and the originals are gone: {names}"
            yield copies.blobs, "missingCopies", message
