"""Report kept copies that are damaged and cannot be made again, and those missing from their list."""

from collections.abc import Iterator

from sidecar.api.stored.doctor import Finding
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.doctor.remedies import finding
from sidecar.storage.kept.copies import copies_in
from sidecar.storage.kept.soundness import Soundness


def damaged_copies(catalog: RootCatalog) -> Iterator[Finding]:
    """Check the list, and copies of sessions that are gone, as many as `Soundness` reads in one round."""
    copies, soundness = copies_in(catalog.root.copies), Soundness()
    if (loss := copies.loss()) is not None:
        yield finding("lostCopies", catalog.root.path, loss, path=copies.list)
    for key, session in copies.sessions().items():
        if catalog.store.files(key):
            continue
        for path in soundness.damaged_files(copies, session):
            message = "its kept copy is damaged, and the session itself is gone"
            yield finding("damagedCopy", catalog.root.path, message, key, path)
