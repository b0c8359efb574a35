"""What happens to runs when the last window closes, on a clock that the test sets."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sidecar.api.settings import HostSettings
from sidecar.host.last_window import RELOAD_SECONDS, LastWindow


class World:
    """The windows and runs of a Host; `set` changes them and lets the Host decide."""

    def __init__(self) -> None:
        self.settings = HostSettings(on_last_window_close="stop")
        self.now, self.clients, self.windows, self.live_runs, self.ends = 0.0, 1, 1, 1, 0
        self.awaits_until = 0.0
        self.last_window = LastWindow(self, self._end)
        self.watching = asyncio.create_task(self.last_window.watch())

    def _end(self) -> None:
        self.ends += 1
        self.live_runs = 0

    async def set(self, **facts: float) -> None:
        vars(self).update(facts)
        self.last_window.changed()
        for _ in range(5):
            await asyncio.sleep(0)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    world = World()
    await world.set()
    yield world
    world.watching.cancel()


async def test_runs_end_some_seconds_after_the_last_window_if_the_setting_says_stop(world: World) -> None:
    await world.set(windows=0)
    await world.set(now=RELOAD_SECONDS - 1)
    assert world.ends == 0
    await world.set(now=RELOAD_SECONDS)
    assert world.ends == 1


async def test_a_window_that_reloads_in_time_keeps_the_runs(world: World) -> None:
    await world.set(windows=0)
    await world.set(now=RELOAD_SECONDS - 1, windows=1)
    await world.set(now=RELOAD_SECONDS + 1)
    await world.set(now=RELOAD_SECONDS + 2, windows=0)
    await world.set(now=2 * RELOAD_SECONDS)
    assert world.ends == 0


async def test_a_run_that_a_terminal_starts_later_continues(world: World) -> None:
    await world.set(windows=0, live_runs=0)
    await world.set(live_runs=1)
    await world.set(now=2 * RELOAD_SECONDS)
    assert world.ends == 0


async def test_runs_end_once_for_each_time_that_the_last_window_closes(world: World) -> None:
    await world.set(windows=0)
    await world.set(now=RELOAD_SECONDS)
    await world.set(now=3 * RELOAD_SECONDS, live_runs=1)
    assert world.ends == 1
    await world.set(windows=1)
    await world.set(windows=0)
    await world.set(now=5 * RELOAD_SECONDS)
    assert world.ends == 2


async def test_runs_continue_by_default(world: World) -> None:
    world.settings = HostSettings()
    await world.set(windows=0)
    await world.set(now=2 * RELOAD_SECONDS)
    assert world.ends == 0
