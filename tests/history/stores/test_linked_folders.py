"""A folder of a store that is a link is not followed, but named, because its sessions are missing."""

from pathlib import Path

import pytest

from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history.doctor import examine
from sidecar.history.listing.selection import ListQuery
from tests.history.stores.fixtures.agents import history_of


def seen(root: Path) -> tuple[set[str], list[str], list[str | None]]:
    """Return the sessions, and the folders that the list and the doctor name."""
    history = history_of(root)
    page = history.page(ListQuery(children=True))
    findings = examine(history, NOW_MS).findings
    named = [finding.path for finding in findings if finding.code == "linkedFolder"]
    return {row.id for row in page.items}, [each.path for each in page.unlisted or ()], named


@pytest.mark.parametrize("product", STORES)
def test_a_linked_folder_is_named(tmp_path: Path, product: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    truths = [truth for truth in STORES[product](root, 1, 1) if truth.listed]
    location = history_of(root).store(str(root)).location
    hidden, place = next(
        (truth.id, path) for truth in truths if (path := Path(location(truth.id))).suffix != ".db"
    )
    folder = place.parent
    (folder.parent / "loop").symlink_to(folder.parent)
    (folder.parent / "next").symlink_to(folder.name)
    ids, *named = seen(root)
    assert hidden in ids and named == [[], []]
    (folder.parent / "next").unlink()
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    ids, *named = seen(root)
    assert hidden not in ids and ids
    assert named == [[str(folder)], [str(folder)]]
    folder.unlink()
    (tmp_path / "elsewhere").rename(folder)
    ids, *named = seen(root)
    assert hidden in ids and named == [[], []]
