"""The control service of a cluster dies: the lines of its runs still come, until Ray ends them later."""

import asyncio

import pytest

from sidecar.subagents.runners.contract import RunResult
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.virtual_time import run_virtually, until

WORKING, QUIET = 1.0, 500.0


@pytest.mark.parametrize("pause", [WORKING, QUIET])
@pytest.mark.parametrize("moment", [0.0, 0.9, 1.9])
def test_the_run_is_lost_within_30_s_of_the_death(world: MakeWorld, pause: float, moment: float) -> None:
    async def main() -> None:
        async def agent(run: ScriptedRun) -> None:
            await run.open()
            await run.count(1, 0.1)
            await run.count(200, pause)

        here = world(agent)
        run = await here.launch()
        await until(lambda: here.values)
        await asyncio.sleep(20 + moment)
        here.ray.control.clear()
        died = asyncio.get_running_loop().time()
        result = await run.result()
        assert 25 < asyncio.get_running_loop().time() - died <= 30
        assert result.is_lost and "the control service of the cluster (on its head) did not" in str(
            result.error
        )
        assert here.person.states[-3:] == ["running", "reconnecting", "lost"]
        numbers = here.values[1:]
        assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= (45 if pause == WORKING else 0)

    run_virtually(main)


def test_a_control_service_that_is_back_in_time_changes_nothing(world: MakeWorld) -> None:
    async def main() -> None:
        async def agent(run: ScriptedRun) -> None:
            await run.open()
            await run.count(60, 1)

        here = world(agent)
        run = await here.launch()
        await until(lambda: len(here.values) > 3)
        for _ in range(2):
            here.ray.control.clear()
            await asyncio.sleep(24)
            here.ray.control.set()
            await asyncio.sleep(3)
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == list(range(1, 61)) and here.person.states[-2:] == ["running", "ended"]

    run_virtually(main)
