"""Stores that appear while a history is open."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sidecar.app.outbound.changes import ChangeHub, Listener
from sidecar.app.roots import WantedRoots
from sidecar.app.stored_tasks import StoredTasks
from tests.history.stores.fixtures.one_session import OTHER, SESSION, write_session

Open = Callable[[WantedRoots], StoredTasks]


class Changes(Listener):
    """Keeps the IDs of the tasks that were announced as new."""

    def __init__(self) -> None:
        self.added: list[str] = []

    def history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        self.added += added


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable, folder in (
        ("SIDECAR_CACHE_DIR", "cache"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
    ):
        monkeypatch.setenv(variable, str(tmp_path / folder))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "own").mkdir()
    return tmp_path


@pytest.fixture
def wanted(home: Path) -> WantedRoots:
    """All that there is on the machine."""
    return WantedRoots(home / "own", discovers=True)


@pytest.fixture
async def changes() -> Changes:
    return Changes()


@pytest.fixture
async def opening(changes: Changes) -> AsyncIterator[Open]:
    opened: list[StoredTasks] = []
    hub = ChangeHub()
    hub.listen(changes)

    def opening(wanted: WantedRoots) -> StoredTasks:
        opened.append(StoredTasks(wanted, hub, dict))
        return opened[-1]

    yield opening
    for stored in opened:
        stored.close(1)


async def look(stored: StoredTasks) -> None:
    """Look for stores in a thread, as its callers do."""
    await asyncio.to_thread(stored.look_for_stores)


async def test_a_store_that_appears_is_added_and_its_sessions_are_announced(
    opening: Open, wanted: WantedRoots, changes: Changes, home: Path
) -> None:
    stored = opening(wanted)
    assert (stored.history.list(), stored.roots) == ([], (home / "own",))
    write_session(home / ".claude")
    await look(stored)
    assert [row.id for row in stored.history.list()] == [SESSION]
    assert stored.roots == (home / "own", home / ".claude")
    assert changes.added == [SESSION]


async def test_what_was_read_before_is_not_read_again(
    opening: Open, wanted: WantedRoots, changes: Changes, home: Path
) -> None:
    write_session(home / ".claude")
    stored = opening(wanted)
    stored.history.list()
    before = stored.history.catalogs
    write_session(home / "config" / "claude", OTHER)
    await look(stored)
    assert [*stored.history.catalogs][: len(before)] == [*before]
    assert changes.added == [OTHER]


async def test_without_a_new_store_nothing_is_opened(opening: Open, wanted: WantedRoots, home: Path) -> None:
    write_session(home / ".claude")
    stored = opening(wanted)
    history = stored.history
    await look(stored)
    assert stored.history is history


async def test_a_store_that_becomes_empty_stays(opening: Open, wanted: WantedRoots, home: Path) -> None:
    write_session(home / ".claude")
    stored = opening(wanted)
    shutil.rmtree(home / ".claude")
    write_session(home / "config" / "claude", OTHER)
    await look(stored)
    assert set(stored.roots) == {home / "own", home / ".claude", home / "config" / "claude"}
    write_session(home / ".claude")
    assert {row.id for row in stored.history.list()} == {SESSION, OTHER}


async def test_named_roots_are_all_that_is_listed_unless_others_are_wanted(
    opening: Open, changes: Changes, home: Path
) -> None:
    stored = opening(WantedRoots(home / "own", (home / "named",)))
    write_session(home / ".claude")
    await look(stored)
    assert stored.roots == (home / "own", home / "named")
    assert changes.added == []


async def test_stores_that_were_found_for_former_roots_are_not_shown(
    opening: Open, wanted: WantedRoots, home: Path
) -> None:
    stored = opening(wanted)
    write_session(home / ".claude")
    stored.look_for_stores()  # what it found reaches the event loop after the next line
    stored.reopen(WantedRoots(home / "own"))
    await asyncio.sleep(0)
    assert stored.roots == (home / "own",)


async def test_nothing_is_added_after_the_end(opening: Open, wanted: WantedRoots, home: Path) -> None:
    stored = opening(wanted)
    write_session(home / ".claude")
    stored.look_for_stores()
    stored.close(1)
    await asyncio.sleep(0)
    assert stored.roots == (home / "own",)
