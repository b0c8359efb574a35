import asyncio

from sidecar.subagents.runners.output.fair_scheduler import FairScheduler


async def test_the_loop_runs_everything_else_between_two_turns() -> None:
    turns, passes, seen = FairScheduler(), 0, []

    async def take() -> None:
        await turns.next()
        seen.append(passes)

    takers = [asyncio.create_task(take()) for _ in range(10)]
    while not all(taker.done() for taker in takers):
        await asyncio.sleep(0)
        passes += 1
    assert sorted(set(seen)) == seen


async def test_a_cancelled_run_does_not_delay_the_next() -> None:
    turns = FairScheduler()
    first, second = (asyncio.create_task(turns.next()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    async with asyncio.timeout(5):
        await second
