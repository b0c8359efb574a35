"""How long a Host stays, on a clock that the test sets."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sidecar.api.settings import HostSettings
from sidecar.host.lifetime import RELOAD_SECONDS, Lifetime


class World:
    """What a lifetime sees; `set` changes it and lets the lifetime decide."""

    def __init__(self) -> None:
        self.settings = HostSettings(on_last_window_close="stop", idle_seconds=1000)
        self.now, self.clients, self.windows, self.runs, self.ends = 0.0, 1, 1, 1, 0
        self.lifetime = Lifetime(
            settings=lambda: self.settings,
            clients=lambda: self.clients,
            live_runs=lambda: self.runs,
            windows=lambda: self.windows,
            end_runs=self._end,
            now=lambda: self.now,
        )
        self.over = asyncio.create_task(self.lifetime.over())

    def _end(self) -> None:
        self.ends += 1
        self.runs = 0

    async def set(self, **facts: float) -> None:
        vars(self).update(facts)
        self.lifetime.changed()
        for _ in range(5):
            await asyncio.sleep(0)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    world = World()
    await world.set()
    yield world
    world.over.cancel()


async def test_runs_end_some_seconds_after_the_last_window_if_the_setting_says_stop(world: World) -> None:
    await world.set(clients=0, windows=0)
    await world.set(now=RELOAD_SECONDS - 1)
    assert world.ends == 0
    await world.set(now=RELOAD_SECONDS)
    assert world.ends == 1
    assert not world.over.done()


async def test_a_window_that_reloads_in_time_keeps_the_runs(world: World) -> None:
    await world.set(clients=0, windows=0)
    await world.set(now=RELOAD_SECONDS - 1, clients=1, windows=1)
    await world.set(now=RELOAD_SECONDS + 1)
    await world.set(now=RELOAD_SECONDS + 2, clients=0, windows=0)
    await world.set(now=2 * RELOAD_SECONDS)
    assert world.ends == 0


async def test_a_terminal_that_waits_is_not_a_window(world: World) -> None:
    await world.set(windows=0)
    await world.set(now=RELOAD_SECONDS)
    assert world.ends == 1


async def test_runs_of_a_terminal_continue_where_no_window_was(world: World) -> None:
    await world.set(windows=0)
    await world.set(now=RELOAD_SECONDS)
    await world.set(runs=1, clients=0)
    await world.set(now=3 * RELOAD_SECONDS)
    assert world.ends == 1


async def test_runs_continue_by_default(world: World) -> None:
    world.settings = HostSettings()
    await world.set(clients=0, windows=0)
    await world.set(now=2 * RELOAD_SECONDS)
    assert world.ends == 0
    await world.set(now=30 * 60)
    assert world.over.done()
