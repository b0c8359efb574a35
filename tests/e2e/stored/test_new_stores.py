"""Stores that appear while a sidecar runs, as when a person uses another agent for the first time."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Json, Start
from tests.e2e.stored.test_live_history import Watcher
from tests.history.stores.fixtures.all_stores import all_stores
from tests.history.stores.fixtures.one_session import OTHER, SESSION, write_session

DISCOVER: Json = {"history": {"autoDiscover": True}}


@pytest.fixture(autouse=True)
def own_places(home: Path, environment: dict[str, str]) -> None:
    """Let every product use its folder in the home."""
    environment["XDG_DATA_HOME"] = str(home / ".local" / "share")
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        environment.pop(variable, None)


async def test_a_store_that_appears_is_announced_listed_and_followed(start: Start, home: Path) -> None:
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(settings=DISCOVER)
    assert await watcher.titles() == []
    await watcher.has_looked()
    write_session(home / ".claude")
    await watcher.until_changed("added", SESSION)
    assert await watcher.titles() == ["Fix the parser"]
    await watcher.follows()
    write_session(home / ".claude", OTHER)
    await watcher.until_changed("added", OTHER)


async def test_a_refresh_finds_a_new_store_at_once(start: Start, home: Path) -> None:
    sidecar = await start(settings=DISCOVER)
    await Watcher(sidecar).has_looked()
    write_session(home / ".claude")
    await sidecar.request("tasks/refresh")
    (task,) = (await sidecar.request("tasks/list"))["items"]
    assert (task["id"], task["root"], task["product"]) == (SESSION, str(home / ".claude"), "claude")


async def test_a_named_root_is_followed_from_its_first_session_on(start: Start, home: Path) -> None:
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(foreignRoots=[str(home / "later")])
    assert await watcher.titles() == []
    await watcher.has_looked()
    write_session(home / "later")
    await watcher.until_changed("added", SESSION)
    assert await watcher.titles() == ["Fix the parser"]


@pytest.mark.slow
async def test_the_store_of_every_product_is_found_when_it_appears(start: Start, home: Path) -> None:
    sidecar = await start(initialize=False)
    watcher = Watcher(sidecar)
    await sidecar.initialize(settings=DISCOVER)
    await watcher.has_looked()
    with all_stores(home) as stores:
        for product, sessions in stores.sessions.items():
            while not {product} <= await products(watcher):
                await watcher.next()
            listed = (await sidecar.request("tasks/list", query=f"product:{product}", limit=10_000))["items"]
            assert {task["id"] for task in listed} == set(sessions)
        stores.assert_unchanged()


async def products(watcher: Watcher) -> set[str]:
    return {task["product"] for task in await watcher.tasks()}
