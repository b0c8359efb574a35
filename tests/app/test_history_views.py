"""One history for each set of wanted roots, open while somebody uses it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidecar.app.history_views import HistoryViews
from sidecar.app.outbound.changes import ChangeHub
from sidecar.app.roots import WantedRoots
from sidecar.app.stored_tasks import StoredTasks


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WantedRoots:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "own").mkdir()
    return WantedRoots(tmp_path / "own")


@pytest.fixture
def more(own: WantedRoots, tmp_path: Path) -> WantedRoots:
    (tmp_path / "foreign").mkdir()
    return WantedRoots(own.own, (tmp_path / "foreign",))


@pytest.fixture
async def views() -> AsyncIterator[HistoryViews]:
    views = HistoryViews(ChangeHub(), dict)
    yield views
    await views.aclose()


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[StoredTasks]:
    """What was closed so far."""
    closed: list[StoredTasks] = []
    close = StoredTasks.close

    def noted(stored: StoredTasks, timeout: float) -> None:
        closed.append(stored)
        close(stored, timeout)

    monkeypatch.setattr(StoredTasks, "close", noted)
    return closed


async def until_closed(closed: list[StoredTasks], count: int) -> None:
    async with asyncio.timeout(20):
        while len(closed) < count:
            await asyncio.sleep(0)


async def test_housekeeping_waits_for_the_first_client(views: HistoryViews, own: WantedRoots) -> None:
    waiting = asyncio.create_task(views.entered())
    await asyncio.sleep(0)
    assert not waiting.done()
    stored = views.enter(own)
    async with asyncio.timeout(5):
        await waiting
    assert views.history is stored.history


async def test_the_same_roots_are_opened_once_and_closed_after_the_last_user(
    views: HistoryViews, own: WantedRoots, more: WantedRoots, closed: list[StoredTasks]
) -> None:
    views.enter(own)
    first, second = views.enter(more), views.enter(more)
    assert first is second
    await views.leave(first)
    assert closed == []
    await views.leave(second)
    assert closed == [first]


async def test_the_last_one_stays_for_the_host_until_another_is_entered(
    views: HistoryViews, own: WantedRoots, more: WantedRoots, closed: list[StoredTasks]
) -> None:
    first = views.enter(more)
    await views.leave(first)
    assert closed == [] and views.history is first.history
    assert views.enter(more) is first
    await views.leave(first)
    other = views.enter(own)
    await until_closed(closed, 1)
    assert closed == [first] and views.history is other.history


async def test_a_client_that_changes_its_roots_alone_keeps_its_history_open(
    views: HistoryViews, own: WantedRoots, more: WantedRoots, closed: list[StoredTasks]
) -> None:
    stored = views.enter(own)
    assert views.change(stored, more) is stored
    assert stored.roots == more.find()
    assert closed == []


async def test_a_client_that_changes_its_roots_leaves_those_of_others_as_they_are(
    views: HistoryViews, own: WantedRoots, more: WantedRoots
) -> None:
    shared = views.enter(own)
    assert views.enter(own) is shared
    changed = views.change(shared, more)
    assert changed is not shared
    assert (shared.roots, changed.roots) == (own.find(), more.find())


async def test_a_client_that_changes_to_the_roots_of_another_leaves_nothing_open(
    views: HistoryViews, own: WantedRoots, more: WantedRoots, closed: list[StoredTasks]
) -> None:
    mine, theirs = views.enter(own), views.enter(more)
    assert views.change(mine, more) is theirs
    await until_closed(closed, 1)
    assert closed == [mine] and views.history is theirs.history


async def test_a_client_that_changes_to_its_own_roots_changes_nothing(
    views: HistoryViews, own: WantedRoots, closed: list[StoredTasks]
) -> None:
    stored = views.enter(own)
    history = stored.history
    assert views.change(stored, own) is stored
    assert stored.history is history
    await views.leave(stored)
    assert closed == []


async def test_clients_that_want_the_same_share_what_was_found_since(
    views: HistoryViews, own: WantedRoots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    everything = WantedRoots(own.own, discovers=True)
    first = views.enter(everything)
    (tmp_path / ".copilot" / "session-state").mkdir(parents=True)
    opened: list[str] = []
    views.opened = lambda: opened.append("again")
    await asyncio.to_thread(first.look_for_stores)
    second = views.enter(WantedRoots(own.own, discovers=True))
    assert second is first
    assert tmp_path / ".copilot" in second.roots
    assert opened == ["again"]
