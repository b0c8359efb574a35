"""First starts, one at a time."""

import asyncio

from sidecar.subagents.runners.acp.start_gate import StartGate


async def test_starts_wait_until_the_first_opens_its_session() -> None:
    gate = StartGate()
    first = await gate.enter()
    others = [asyncio.create_task(gate.enter()) for _ in range(3)]
    await asyncio.sleep(0)
    assert not any(other.done() for other in others)
    first.opened_session()
    entries = await asyncio.wait_for(asyncio.gather(*others), 5)
    assert [entry.has_waited for entry in entries] == [True, True, True]
    assert not (await gate.enter()).has_waited


async def test_after_a_start_that_failed_the_next_goes_alone() -> None:
    gate = StartGate()
    first = await gate.enter()
    second, third = (asyncio.create_task(gate.enter()) for _ in range(2))
    await asyncio.sleep(0)
    first.leave()
    entry = await asyncio.wait_for(second, 5)
    assert entry.holds
    assert not third.done()
    entry.opened_session()
    await asyncio.wait_for(third, 5)


async def test_nobody_waits_for_a_slow_one_for_ever() -> None:
    gate = StartGate(wait_seconds=0.01)
    await gate.enter()
    entry = await asyncio.wait_for(gate.enter(), 5)
    assert entry.has_waited
    entry.leave()


async def test_a_start_that_is_cancelled_while_it_waits_holds_up_nobody() -> None:
    gate = StartGate()
    first = await gate.enter()
    waiting, other = (asyncio.create_task(gate.enter()) for _ in range(2))
    await asyncio.sleep(0)
    waiting.cancel()
    first.leave()
    assert (await asyncio.wait_for(other, 5)).holds
