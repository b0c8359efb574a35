"""The sessions in a folder that cannot be listed for a moment stay listed; those that are gone do not."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.corpus.stores import STORES
from sidecar.corpus.truth import NOW_MS
from sidecar.history import TaskHistory
from sidecar.history.catalog.kept_rows import FIRST_PAUSE_MS
from sidecar.history.listing.selection import ListQuery
from sidecar.history.search.build import update
from sidecar.history.search.store import SearchStore, store_path
from tests.history.conftest import Store
from tests.history.stores.fixtures.one_session import OTHER, SESSION, write_session

Make = Callable[..., dict[str, Any]]
_FILE_STORES = [name for name in STORES if name not in ("opencode", "kilo")]


class Listing:
    """Let the listing of folders in `below` fail while `number` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number, self.below = 0, ""
        self.now = NOW_MS
        self._scandir = os.scandir
        monkeypatch.setattr(os, "scandir", self)

    def __call__(self, path: Any = ".") -> Any:
        if self.number and str(path).startswith(self.below):
            raise OSError(self.number, os.strerror(self.number), path)
        return self._scandir(path)

    def history(self, root: Path) -> TaskHistory:
        return TaskHistory([root], now=lambda: self.now, cache=root.parent / "cache")


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listing]:
    made = Listing(monkeypatch)
    yield made
    made.number = 0


def ids(history: TaskHistory) -> list[str]:
    return sorted(row.id for row in history.list(children=True))


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
@pytest.mark.parametrize("product", STORES)
def test_sessions_stay_listed_and_the_folder_is_named(
    tmp_path: Path, listing: Listing, product: str, number: int
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    STORES[product](root, 7, 1)
    history = listing.history(root)
    before = ids(history)
    assert before
    listing.below, listing.number = str(root), number
    assert ids(history) == before
    listing.number = 0
    assert ids(history) == before
    assert history.page(ListQuery(children=True)).unlisted in (None, [])
    history.close()


@pytest.mark.parametrize("product", _FILE_STORES)
def test_sessions_stay_listed_in_a_new_process(tmp_path: Path, listing: Listing, product: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    STORES[product](root, 7, 1)
    history = listing.history(root)
    before = ids(history)
    history.close()
    again = listing.history(root)
    listing.below, listing.number = str(root), errno.EMFILE
    assert ids(again) == before
    assert again.page(ListQuery(children=True)).unlisted
    listing.number = 0
    assert ids(again) == before
    again.close()


def test_task_folders_stay_listed(store: Store, say: Make, listing: Listing) -> None:
    store.write(ui=[say("text", "Fix the parser")], api=[])
    history = listing.history(store.path)
    before = ids(history)
    listing.below, listing.number = str(store.path), errno.EMFILE
    assert ids(history) == before != []
    shutil.rmtree(store.path / "tasks")
    assert ids(history) == []
    history.close()


def test_a_folder_that_is_gone_takes_its_sessions_along(tmp_path: Path, listing: Listing) -> None:
    root = tmp_path / "root"
    write_session(root)
    other = write_session(root / "x", OTHER)
    (root / "projects" / "-o").mkdir()
    other.rename(root / "projects" / "-o" / other.name)
    history = listing.history(root)
    assert ids(history) == [SESSION, OTHER]
    listing.below, listing.number = str(root / "projects" / "-w"), errno.EIO
    shutil.rmtree(root / "projects" / "-o")
    assert ids(history) == [SESSION]
    shutil.rmtree(root / "projects" / "-w")
    assert ids(history) == []
    history.close()


def test_a_root_that_was_listed_in_part_is_listed_again_after_a_pause(
    tmp_path: Path, listing: Listing
) -> None:
    write_session(tmp_path)
    history = listing.history(tmp_path)
    (catalog,) = history.catalogs
    listing.below, listing.number = str(tmp_path / "projects" / "-w"), errno.EMFILE
    assert ids(history) == []
    assert history.page(ListQuery(children=True)).unlisted
    assert history.settled_until(NOW_MS) == NOW_MS
    kept = catalog._rows["structural"]
    assert kept.ends == NOW_MS + FIRST_PAUSE_MS
    listing.now += FIRST_PAUSE_MS
    ids(history)
    assert kept.ends == listing.now + 2 * FIRST_PAUSE_MS
    listing.number = 0
    assert ids(history) == [SESSION]
    assert kept.ends > listing.now + 2 * FIRST_PAUSE_MS
    history.close()


def test_the_search_index_keeps_sessions_in_a_folder_that_was_missed(
    tmp_path: Path, listing: Listing
) -> None:
    root = tmp_path / "root"
    write_session(root)
    update(tmp_path / "index", str(root))
    listing.below, listing.number = str(root / "projects" / "-w"), errno.EMFILE
    update(tmp_path / "index", str(root))
    opened = SearchStore(store_path(tmp_path / "index", str(root)))
    assert [*opened.versions()] == [SESSION]
    opened.close()


def make_file(path: Path) -> None:
    path.touch()


def make_link(path: Path) -> None:
    path.symlink_to(path.parents[2] / "away")


@pytest.mark.parametrize("replace", [make_file, make_link])
def test_a_folder_that_is_replaced_holds_nothing_any_more(
    tmp_path: Path, listing: Listing, replace: Callable[[Path], None]
) -> None:
    folder = write_session(tmp_path / "root").parent
    history = listing.history(tmp_path / "root")
    assert ids(history) == [SESSION]
    listing.below, listing.number = str(folder), errno.EIO
    listing.now += FIRST_PAUSE_MS
    folder.touch()
    assert ids(history) == [SESSION]
    folder.rename(tmp_path / "away")
    replace(folder)
    listing.number = 0
    listing.now += 3 * FIRST_PAUSE_MS
    assert ids(history) == []
    history.close()


def test_a_folder_that_was_a_link_once_keeps_its_sessions_too(tmp_path: Path, listing: Listing) -> None:
    folder = write_session(tmp_path / "root").parent
    folder.rename(tmp_path / "away")
    folder.symlink_to(tmp_path / "away")
    history = listing.history(tmp_path / "root")
    assert ids(history) == []
    folder.unlink()
    (tmp_path / "away").rename(folder)
    assert ids(history) == [SESSION]
    listing.below, listing.number = str(folder), errno.EIO
    folder.touch()
    assert ids(history) == [SESSION]
    history.close()
