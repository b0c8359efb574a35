"""When a Host ends: never while it is needed, and always some time after."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sidecar.api.settings import HostSettings
from sidecar.host.lifetime import FIRST_CLIENT_SECONDS, Lifetime


class Life:
    """A lifetime whose clock, clients, runs and settings the test sets."""

    def __init__(self) -> None:
        self.now, self.clients, self.windows, self.live_runs = 1_000.0, 0, 0, 0
        self.awaits_until = 0.0
        self.settings = HostSettings(survive_minutes=2, idle_seconds=5)
        self.lifetime = Lifetime(self)
        self.ended = asyncio.Event()
        self.over = asyncio.create_task(self.lifetime.over(self.ended))

    async def ends(self, *, after: float = 0, clients: int | None = None, runs: int | None = None) -> bool:
        """Change the given values, and return whether the Host has ended then."""
        self.now += after
        self.clients = self.clients if clients is None else clients
        self.live_runs = self.live_runs if runs is None else runs
        self.lifetime.changed()
        for _ in range(10):
            await asyncio.sleep(0)
        return self.ended.is_set()


@pytest.fixture
async def life() -> AsyncIterator[Life]:
    life = Life()
    yield life
    life.over.cancel()


async def test_a_host_without_clients_and_runs_ends_after_the_idle_time(life: Life) -> None:
    assert not await life.ends(clients=1)
    assert not await life.ends(after=1_000)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=4.9)
    assert await life.ends(after=0.1)


async def test_a_host_without_clients_waits_for_the_changes_of_ended_runs(life: Life) -> None:
    life.awaits_until = life.now + 300
    assert not await life.ends(clients=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=200)
    life.awaits_until = 0.0
    assert await life.ends()


async def test_a_host_does_not_wait_for_the_changes_of_ended_runs_forever(life: Life) -> None:
    life.awaits_until = life.now + 300
    assert not await life.ends(after=299.9)
    assert await life.ends(after=0.1)


async def test_a_new_host_waits_for_the_client_that_started_it(life: Life) -> None:
    life.settings = HostSettings(idle_seconds=0)
    assert not await life.ends()
    assert not await life.ends(after=FIRST_CLIENT_SECONDS - 0.1)
    assert await life.ends(after=0.1)


async def test_a_host_that_need_not_idle_ends_with_its_last_client(life: Life) -> None:
    life.settings = HostSettings(idle_seconds=0)
    assert not await life.ends(clients=2)
    assert not await life.ends(clients=1)
    assert await life.ends(clients=0)


async def test_runs_continue_without_clients_for_the_time_they_survive(life: Life) -> None:
    assert not await life.ends(clients=1, runs=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=119.9)
    assert await life.ends(after=0.1)


async def test_runs_survive_for_a_fraction_of_a_minute(life: Life) -> None:
    life.settings = HostSettings(survive_minutes=0.5)
    assert not await life.ends(clients=1, runs=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=29.9)
    assert await life.ends(after=0.1)


async def test_runs_without_a_limit_keep_the_host_until_they_end(life: Life) -> None:
    life.settings = HostSettings(survive_minutes=-1, idle_seconds=5)
    assert not await life.ends(clients=1, runs=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=1e9)
    assert not await life.ends(runs=0)
    assert await life.ends(after=5)


async def test_a_client_that_comes_back_makes_the_time_count_again(life: Life) -> None:
    assert not await life.ends(clients=1, runs=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=119)
    assert not await life.ends(clients=1)
    assert not await life.ends(after=500, clients=0)
    assert not await life.ends(after=119)
    assert await life.ends(after=1)


async def test_the_idle_time_counts_from_the_end_of_the_last_run(life: Life) -> None:
    assert not await life.ends(clients=1, runs=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=100, runs=0)
    assert not await life.ends(after=4.9)
    assert not await life.ends(runs=1)
    assert not await life.ends(after=1, runs=0)
    assert not await life.ends(after=4.9)
    assert await life.ends(after=0.1)


async def test_changed_settings_count_at_once(life: Life) -> None:
    assert not await life.ends(clients=1, runs=1)
    assert not await life.ends(clients=0)
    assert not await life.ends(after=60)
    life.settings = HostSettings(survive_minutes=1)
    assert await life.ends()


class BusyLife(Life):
    """A lifetime that runs a function right after each of its decisions, such as to attach a client."""

    def __init__(self) -> None:
        self.was_ended: list[bool] = []
        super().__init__()

    @property
    def settings(self) -> HostSettings:
        asyncio.get_running_loop().call_soon(lambda: self.was_ended.append(self.ended.is_set()))
        return HostSettings(idle_seconds=5)

    @settings.setter
    def settings(self, settings: HostSettings) -> None:
        pass


async def test_a_client_that_comes_right_after_the_decision_finds_the_host_ended() -> None:
    life = BusyLife()
    assert not await life.ends(clients=1)
    assert not await life.ends(clients=0)
    assert not any(life.was_ended)
    life.was_ended.clear()
    assert await life.ends(after=5)
    assert life.was_ended
    assert all(life.was_ended)
