"""How tests wait for the deliveries of a loop."""

import asyncio

LIMIT_SECONDS = 5


async def checked() -> None:
    """Return when the check of the last wake-up ran: a loop calls back in the order of the requests."""
    await asyncio.sleep(0)


async def settled() -> None:
    """Return when the last wake-up was checked and no delivery is in progress."""
    async with asyncio.timeout(LIMIT_SECONDS):
        await checked()
        while deliveries := {task for task in asyncio.all_tasks() if task.get_name() == "delivery"}:
            await asyncio.wait(deliveries)
            await checked()  # a delivery that succeeds wakes the loop
