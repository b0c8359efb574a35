"""Report copies that the list of kept copies no longer names, and copies that are missing."""

from collections.abc import Iterator

from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.storage.kept.copies import copies_in


def lost_copies(catalog: RootCatalog) -> Iterator[tuple[str, str, str]]:
    """Return the path, the code and the message of what is lost, judged by the last scan.

    Nothing is lost while the original of a session exists: it is copied again.
    """
    copies = copies_in(catalog.root.copies)
    if (loss := copies.loss()) is not None:
        yield copies.list, "lostCopies", loss
    if missing := copies.missing():
        rows = catalog.rows("structural").values()
        gone = len({*missing} - {row.within or row.id for row in rows if row.body})
        sessions = "1 kept session" if gone == 1 else f"{gone} kept sessions"
        if gone:
            message = f"copied files of {sessions} are missing, and the originals are gone"
            yield copies.blobs, "missingCopies", message
