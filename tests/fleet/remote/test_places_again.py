"""A run whose process dies before its agent starts is placed again; one that may have started never is."""

import asyncio
import os
import shutil
import threading
from pathlib import Path

import pytest

from sidecar.fleet.actor import START_SECONDS
from sidecar.fleet.leftovers import run_lock, watcher
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.subagents.runners.contract import RunResult
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.gateway import Cut
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import CHANGES, RUN, World
from tests.fleet.remote.test_frozen_places import short, with_second_node

LIMIT = 30


def is_made(here: World) -> bool:
    return bool(here.ray.actors) and here.actor.body is not None


async def killed_at(here: World, op: str, count: int = 1) -> None:
    """Kill the process of the run when a request is on its way for the `count`-th time."""
    await until(lambda: here.ops().count(op) >= count and is_made(here), step=0)
    here.kill_worker()


@pytest.mark.parametrize(("op", "count"), [("place", 1), ("put", 1), ("put", 3), ("find", 1)])
def test_a_run_whose_process_dies_on_its_way_is_placed_again(world: MakeWorld, op: str, count: int) -> None:
    async def main() -> None:
        here = world(short)
        run = await here.launch()
        await killed_at(here, op, count)
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == [1, 2, 3] and here.brought == [CHANGES]
        assert len(here.agents.runs) == 1 and here.ops().count("go") == 1
        await until(here.is_clean)

    run_virtually(main)


def test_a_run_is_placed_three_times_and_then_lost_with_the_reason(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        run = await here.launch()
        for number in range(3):
            await killed_at(here, "find", number + 1)
        result = await run.result()
        assert result.is_lost and "lost before its agent started: it was placed 3 times" in str(result.error)
        assert "run-" + RUN + " is dead" in str(result.error) and here.person.states[-1] == "lost"
        assert not here.agents.runs and here.ops().count("go") == 0
        await until(here.is_clean)

    run_virtually(main)


def test_a_run_whose_node_dies_on_its_way_works_on_another_one(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        second = with_second_node(here)
        run = await here.launch()
        await until(lambda: here.ops().count("put") == 2, step=0)
        here.node.is_dead = True
        here.kill_worker()
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.actor.node is second and len(here.agents.runs) == 1

    run_virtually(main)


def test_a_run_whose_only_node_dies_on_its_way_is_lost_with_both_reasons(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        run = await here.launch()
        await until(lambda: here.ops().count("put") == 2, step=0)
        here.node.is_dead = True
        here.kill_worker()
        result = await run.result()
        assert result.is_lost and "its process on A died" in str(result.error)
        assert "no node of the cluster has 1 slots" in str(result.error)

    run_virtually(main)


@pytest.mark.parametrize("kind", ["asked", "answered"])
def test_a_run_that_may_have_started_is_never_placed_again(world: MakeWorld, kind: str) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.cuts = [Cut(kind, "go")]
        run = await here.launch()
        await until(lambda: "go" in here.ops(), step=0)
        here.kill_worker()
        assert (await run.result()).is_lost
        assert here.ops().count("place") == 1 and len(here.agents.runs) <= 1

    run_virtually(main)


def test_a_stop_ends_the_placing_again(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        run = await here.launch()
        await until(lambda: here.ops().count("put") == 2, step=0)
        here.kill_worker()
        await run.stop()
        assert "stopped before its agent started" in str((await run.result()).error)
        await until(here.is_clean)
        assert not here.agents.runs

    run_virtually(main)


@pytest.mark.parametrize("op", ["version", "connect"])
@pytest.mark.parametrize("kind", ["asked", "answered"])
def test_a_gateway_that_dies_while_it_starts_does_not_fail_a_new_run(
    world: MakeWorld, op: str, kind: str
) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.cuts = [Cut(kind, op, count) for count in (1, 2)]
        assert (await (await here.launch()).result()).terminate_reason == "GOAL"
        assert len(here.gateways.processes) == 3

    run_virtually(main)


def test_a_new_run_whose_gateways_all_die_fails_with_the_remedy(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.cuts = [Cut("asked", "connect", count) for count in range(1, 1000)]
        result = await (await here.launch()).result()
        assert "the gateway exited; check fleet.gateway" in str(result.error)
        assert LIMIT - 1 <= asyncio.get_running_loop().time() <= LIMIT + 3
        assert len(here.gateways.processes) < 30

    run_virtually(main)


@pytest.mark.parametrize("kind", ["asked", "answered"])
def test_a_launch_survives_a_gateway_that_dies_at_its_check(world: MakeWorld, kind: str) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.cuts = [Cut(kind, "status")]
        assert (await here.link.status(LIMIT))["nodes"][0]["name"] == "A"
        assert len(here.gateways.processes) == 2

    run_virtually(main)


def test_an_actor_whose_gateway_died_before_it_asked_ends_by_itself(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.ray.nodes[0].thawed.clear()  # no method arrives
        await here.launch()
        await until(lambda: is_made(here))
        here.abandon()
        await asyncio.sleep(START_SECONDS - 60)
        assert (here.folder / "fleet" / "runs" / RUN).exists() and not here.actor.died.is_set()
        await asyncio.sleep(120)
        assert here.is_clean() and not here.agents.runs

    run_virtually(main)


def test_an_actor_whose_sidecar_died_while_the_workspace_came_leaves_no_tree(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        await here.launch()
        await until(lambda: here.ops().count("put") == 2, step=0)
        here.abandon()
        await asyncio.sleep(START_SECONDS + 60)
        assert here.is_clean() and not here.agents.runs

    run_virtually(main)


def test_a_folder_is_held_once_the_former_process_lets_it_go(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / RUN
    former = run_lock.hold_new(folder, LIMIT)
    with pytest.raises(run_lock.FolderInUse, match=f"a former process of the run still uses {folder}"):
        run_lock.hold_new(folder, 0.0)
    held: list[int] = []
    waiting = threading.Thread(target=lambda: held.append(run_lock.hold_new(folder, LIMIT)))
    waiting.start()
    shutil.rmtree(folder, ignore_errors=True)  # as the former process does before it ends
    os.close(former)
    waiting.join()
    assert run_lock.is_held(folder)
    os.close(held[0])


def test_a_watcher_leaves_the_folder_of_a_run_that_never_began_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "fleet" / "runs" / RUN
    held = run_lock.hold_new(folder, LIMIT)
    (folder / "journal.ndjson").touch()
    (folder / "incoming.bundle").touch()
    descriptor = watcher.start(LeftRun(folder, "cache", "", "ba5e" * 10))
    os.close(held)
    os.close(descriptor)
    waiting = threading.Event()
    for _ in range(LIMIT * 10):
        if not folder.exists():
            break
        waiting.wait(0.1)
    again = run_lock.hold_new(folder, watcher.SALVAGE_SECONDS / 2)
    assert not (folder / "incoming.bundle").exists()
    os.close(again)
