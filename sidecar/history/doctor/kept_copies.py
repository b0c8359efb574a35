"""Report kept copies that are lost or damaged and cannot be made again."""

from collections.abc import Collection, Iterator
from pathlib import Path

from sidecar.api.stored.doctor import Finding
from sidecar.history.catalog.root_catalog import RootCatalog
from sidecar.history.doctor.remedies import finding
from sidecar.history.lost_copies import lost_copies
from sidecar.storage.kept.copies import copies_in, nameless
from sidecar.storage.kept.soundness import Soundness


def damaged_copies(catalog: RootCatalog) -> Iterator[Finding]:
    """Check the list, and copies of sessions that are gone, as many as `Soundness` reads in one round."""
    copies, soundness = copies_in(catalog.root.copies), Soundness()
    for place, code, lost in lost_copies(catalog):
        yield finding(code, catalog.root.path, lost, path=place)
    for key, session in copies.sessions().items():
        if catalog.store.files(key):
            continue
        for path in soundness.damaged_files(copies, session):
            message = "its kept copy is damaged, and the session itself is gone"
            yield finding("damagedCopy", catalog.root.path, message, key, path)


def nameless_copies(kept: str, known: Collection[str]) -> Iterator[Finding]:
    """Report lists that do not tell their store, except in the folders `known` to be those of roots."""
    for copies in nameless(Path(kept)) if kept else ():
        if copies.folder not in known:
            message = "the list of kept copies is missing or damaged, and does not tell their store"
            yield finding("lostCopies", copies.folder, message, path=copies.list)
