"""Stored tasks of another extension, as a client sees them change."""

import asyncio
import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO, Json, Sidecar, Start

TASK_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"
OTHER = "0198c1e0-0000-7000-8000-000000000000"
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
EVENTS = int(QUEUE.read_text()) if QUEUE.exists() else 16_384
"""More than this while nobody reads, and Linux drops the rest."""


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    root = tmp_path / "foreign"
    save(root, "first")
    return root


def save(root: Path, title: str, task_id: str = TASK_ID) -> None:
    """Write a new file and rename it in."""
    folder = root / "tasks" / task_id
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / ".ui_messages.json.new_1_a.tmp"
    new.write_text(messages(title))
    os.replace(new, folder / "ui_messages.json")


def save_over_a_backup(root: Path, title: str) -> None:
    """Rename the old file away, then the new one in."""
    path = root / "tasks" / TASK_ID / "ui_messages.json"
    backup = path.with_name(".ui_messages.json.bak_1_a.tmp")
    os.replace(path, backup)
    save(root, title)
    backup.unlink()


def overwrite(root: Path, title: str) -> None:
    """Empty the file, then write it again."""
    (root / "tasks" / TASK_ID / "ui_messages.json").write_text(messages(title))


def messages(title: str) -> str:
    return json.dumps([{"ts": 1776247196051, "type": "say", "say": "text", "text": title}])


class Watcher:
    """The changes of stored tasks that a client was notified of."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._changes: asyncio.Queue[Json] = asyncio.Queue()
        sidecar.client.on_notification("tasks/didChange", self._changes.put_nowait)

    async def next(self) -> Json:
        async with asyncio.timeout(20):
            return await self._changes.get()

    async def until_changed(self, kind: str, task_id: str = TASK_ID) -> None:
        """Wait for a change of a task."""
        while task_id not in (await self.next())[kind]:
            pass

    async def until_titled(self, title: str) -> int:
        """Wait for changes after which the first task has this title; how many it took."""
        reported = 0
        while True:
            await self.next()
            reported += 1
            if (await self.titles())[:1] == [title]:
                return reported

    async def titles(self) -> list[str]:
        return [task["title"] for task in await self.tasks()]

    async def tasks(self) -> list[Json]:
        listed: list[Json] = (await self._sidecar.request("tasks/list", limit=10_000))["items"]
        return listed

    async def has_looked(self) -> None:
        """Wait until everything was scanned once: what appears from now on was not there at the start."""
        async with asyncio.timeout(20):
            while "lastReconcileAt" not in (await self._sidecar.request("health"))["watcher"]:
                await asyncio.sleep(0.02)

    async def follows(self, mode: str = "watch", least: int = 2) -> Json:
        """Wait until at least this many folders are watched, or for another mode."""
        async with asyncio.timeout(20):
            while True:
                watcher: Json = (await self._sidecar.request("health"))["watcher"]
                if watcher["mode"] == mode and watcher["watches"] >= least:
                    return watcher
                await asyncio.sleep(0.02)


@pytest.fixture
async def watcher(start: Start, foreign: Path) -> Watcher:
    """Of a sidecar that watches one foreign task."""
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(foreignRoots=[str(foreign)])
    assert await watcher.titles() == ["first"]
    await watcher.follows()
    return watcher


async def test_a_change_in_a_foreign_root_is_reported(start: Start, foreign: Path) -> None:
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(foreignRoots=[str(foreign)])
    assert await watcher.titles() == ["first"]
    assert (await watcher.follows())["lastReconcileAt"] > 0
    save(foreign, "second")
    reported = await watcher.next()
    assert (reported["added"], reported["changed"], reported["removed"]) == ([], [TASK_ID], [])
    assert await watcher.titles() == ["second"]


async def test_what_changed_between_two_servers_is_reported(start: Start, foreign: Path, home: Path) -> None:
    first = await start(foreignRoots=[str(foreign)])
    watcher = Watcher(first)
    assert await watcher.titles() == ["first"]
    await first.shut_down()
    save(foreign, "second")
    second = await start(initialize=False)
    watcher = Watcher(second)
    await second.initialize(foreignRoots=[str(foreign)])
    assert (await watcher.next())["changed"] == [TASK_ID]
    assert await watcher.titles() == ["second"]


async def test_a_foreign_root_stays_as_it_is(start: Start, foreign: Path) -> None:
    def tree() -> list[tuple[str, int, bytes]]:
        files = [path for path in foreign.rglob("*") if path.is_file()]
        return sorted((str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in files)

    before = tree()
    sidecar = await start(foreignRoots=[str(foreign)])
    watcher = Watcher(sidecar)
    await watcher.titles()
    await watcher.follows()
    await sidecar.request("tasks/refresh")
    await sidecar.shut_down()
    assert tree() == before


async def test_roots_given_later_are_followed_too(start: Start, foreign: Path) -> None:
    sidecar = await start()
    watcher = Watcher(sidecar)
    assert await watcher.titles() == []
    await sidecar.request("settings/update", settings={"history": {"foreignRoots": [str(foreign)]}})
    assert await watcher.titles() == ["first"]
    await watcher.follows()
    save(foreign, "second")
    reported: dict[str, Any] = await watcher.next()
    assert TASK_ID in reported["changed"] + reported["added"]


async def test_stores_are_found_by_themselves(start: Start, home: Path) -> None:
    root = home / "config" / "Code" / "User" / "globalStorage" / "rooveterinaryinc.roo-cline"
    save(root, "found")
    sidecar = await start(settings={"history": {"autoDiscover": True}})
    (task,) = (await sidecar.request("tasks/list"))["items"]
    assert (task["title"], task["root"], task["product"]) == ("found", str(root), "roo")


@pytest.mark.parametrize("write", [save, save_over_a_backup, overwrite])
async def test_a_save_is_reported_however_it_is_made(
    watcher: Watcher, foreign: Path, write: Callable[[Path, str], None]
) -> None:
    for title in ("second", "third"):
        write(foreign, title)
        await watcher.until_titled(title)


async def test_a_new_task_is_reported_and_so_are_its_saves(watcher: Watcher, foreign: Path) -> None:
    save(foreign, "other", OTHER)
    await watcher.until_changed("added", OTHER)
    await watcher.follows(least=3)
    save(foreign, "renamed", OTHER)
    await watcher.until_changed("changed", OTHER)
    assert sorted(await watcher.titles()) == ["first", "renamed"]


async def test_a_deleted_task_is_reported(watcher: Watcher, foreign: Path) -> None:
    shutil.rmtree(foreign / "tasks" / TASK_ID)
    await watcher.until_changed("removed")
    assert await watcher.titles() == []


async def test_what_a_crash_left_is_listed(watcher: Watcher, foreign: Path) -> None:
    path = foreign / "tasks" / TASK_ID / "ui_messages.json"
    path.with_name(".ui_messages.json.new_1770000000001_a.tmp").write_text(messages("second"))
    os.replace(path, path.with_name(".ui_messages.json.bak_1770000000001_a.tmp"))
    await watcher.until_changed("changed")
    assert await watcher.titles() == ["second"]


async def test_half_of_a_save_changes_nothing(watcher: Watcher, foreign: Path) -> None:
    path = foreign / "tasks" / TASK_ID / "ui_messages.json"
    path.with_name(".ui_messages.json.new_1770000000001_a.tmp").write_text(messages("second")[:40])
    os.replace(path, path.with_name(".ui_messages.json.bak_1770000000001_a.tmp"))
    assert await watcher.titles() == ["first"]


async def test_a_steady_writer_is_reported_at_most_four_times_a_second(
    watcher: Watcher, foreign: Path
) -> None:
    began = time.monotonic()
    for number in range(150):
        save(foreign, f"title {number}")
        await asyncio.sleep(0.01)  # as an agent does that saves with every piece of an answer
    reported = await watcher.until_titled("title 149")
    assert reported <= 4 * (time.monotonic() - began) + 2


async def test_what_cannot_be_watched_is_checked(
    start: Start, foreign: Path, home: Path, environment: dict[str, str]
) -> None:
    refusing = home / "refusing"
    (refusing / "watchfiles").mkdir(parents=True)
    (refusing / "watchfiles" / "__init__.py").touch()
    (refusing / "watchfiles" / "_rust_notify.py").write_text(
        "def RustNotify(*_):\n    raise OSError('OS file watch limit reached')\n"
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(refusing), str(REPO)])
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(foreignRoots=[str(foreign)])
    assert await watcher.titles() == ["first"]
    assert (await watcher.follows("poll", least=0))["watches"] == 0
    save(foreign, "second")
    await watcher.until_titled("second")


@pytest.mark.slow
async def test_changes_lost_in_an_overflow_are_made_up_for(start: Start, foreign: Path) -> None:
    save(foreign, "other", OTHER)
    sidecar = await start(foreignRoots=[str(foreign)])
    watcher = Watcher(sidecar)
    assert sorted(await watcher.titles()) == ["first", "other"]
    await watcher.follows(least=3)
    noise = [foreign / "tasks" / TASK_ID / name for name in ("a.tmp", "b.tmp")]
    os.kill(sidecar.client.pid, signal.SIGSTOP)
    try:
        for _ in range(EVENTS):
            for path in noise:  # in turns, because the same event twice is queued once
                path.touch()
        save(foreign, "unheard", OTHER)
    finally:
        os.kill(sidecar.client.pid, signal.SIGCONT)
    await watcher.until_changed("changed", OTHER)
    assert sorted(await watcher.titles()) == ["first", "unheard"]
