"""Rounds of upkeep begin at once, and again soon after a change of the settings."""

import asyncio
from pathlib import Path

import pytest

from sidecar.app.host import Host
from sidecar.app.roots import WantedRoots
from sidecar.app.settings import SettingsStore
from sidecar.app.upkeep import rounds
from sidecar.app.upkeep.rounds import Rounds
from tests.generator import ERAS, generate


async def test_a_round_follows_the_start_and_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "SETTLE_SECONDS", 0)
    done: asyncio.Queue[int] = asyncio.Queue()

    async def work() -> None:
        done.put_nowait(1)

    running = Rounds(work, "test")
    running.start()
    async with asyncio.timeout(20):
        await done.get()
        for _ in range(2):
            running.settings_changed()
            await done.get()
    await running.aclose()
    assert done.empty()


async def test_a_round_that_is_due_does_not_wait_for_settings_to_settle() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()

    async def work() -> None:
        done.put_nowait(1)

    running = Rounds(work, "test")
    running.start()
    async with asyncio.timeout(20):
        await done.get()
        running.settings_changed()
        running.due()
        await done.get()
    await running.aclose()


async def test_changed_retention_settings_apply_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(rounds, "SETTLE_SECONDS", 0)
    (task,) = generate(tmp_path / "root", ERAS[2], 1)
    trash = tmp_path / "root" / "trash" / task.id
    host = await Host.open(tmp_path / "root", SettingsStore({"history": {"maxBytes": 1}}))
    try:
        host.views.enter(WantedRoots(host.root.path))
        async with asyncio.timeout(20):
            while not trash.exists():
                await asyncio.sleep(0.01)
            host.update_settings({"history": {"trashDays": 0}})
            while trash.exists():
                await asyncio.sleep(0.01)
    finally:
        await host.aclose()
