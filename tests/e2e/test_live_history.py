"""Stored tasks of another extension, as a client sees them change."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Json, Sidecar, Start

TASK_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    root = tmp_path / "foreign"
    save(root, "first")
    return root


def save(root: Path, title: str) -> None:
    folder = root / "tasks" / TASK_ID
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / ".ui_messages.json.new_1_a.tmp"
    new.write_text(json.dumps([{"ts": 1776247196051, "type": "say", "say": "text", "text": title}]))
    os.replace(new, folder / "ui_messages.json")


class Watcher:
    """The changes of stored tasks that a client was told of."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._told: asyncio.Queue[Json] = asyncio.Queue()
        sidecar.client.on_notification("tasks/didChange", self._told.put_nowait)

    async def next(self) -> Json:
        async with asyncio.timeout(20):
            return await self._told.get()

    async def titles(self) -> list[str]:
        return [task["title"] for task in (await self._sidecar.request("tasks/list"))["items"]]

    async def follows(self) -> Json:
        """Wait until the tasks are watched."""
        async with asyncio.timeout(20):
            while True:
                watcher: Json = (await self._sidecar.request("health"))["watcher"]
                if watcher["mode"] == "watch" and watcher["watches"] > 1:
                    return watcher
                await asyncio.sleep(0.02)


async def test_a_change_in_a_foreign_root_is_told(start: Start, foreign: Path) -> None:
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(foreignRoots=[str(foreign)])
    assert await watcher.titles() == ["first"]
    assert (await watcher.follows())["lastReconcileAt"] > 0
    save(foreign, "second")
    told = await watcher.next()
    assert (told["added"], told["changed"], told["removed"]) == ([], [TASK_ID], [])
    assert await watcher.titles() == ["second"]


async def test_what_changed_between_two_servers_is_told(start: Start, foreign: Path, home: Path) -> None:
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
    told: dict[str, Any] = await watcher.next()
    assert TASK_ID in told["changed"] + told["added"]


async def test_stores_are_found_by_themselves(start: Start, home: Path) -> None:
    root = home / "config" / "Code" / "User" / "globalStorage" / "rooveterinaryinc.roo-cline"
    save(root, "found")
    sidecar = await start(settings={"history": {"autoDiscover": True}})
    (task,) = (await sidecar.request("tasks/list"))["items"]
    assert (task["title"], task["root"], task["product"]) == ("found", str(root), "roo")
