"""Changes of stored tasks, gathered into batches."""

import asyncio

from sidecar.app.outbound.announcer import ChangeAnnouncer

Batch = tuple[list[str], list[str], list[str]]


class Client:
    """Takes batches; a test waits for them."""

    def __init__(self) -> None:
        self.batches: asyncio.Queue[Batch] = asyncio.Queue()
        self.announcer = ChangeAnnouncer(lambda *batch: self.batches.put_nowait(batch))

    async def next(self) -> Batch:
        return await asyncio.wait_for(self.batches.get(), 5)


async def test_the_first_change_is_told_at_once_and_the_next_ones_together() -> None:
    client, loop = Client(), asyncio.get_running_loop()
    client.announcer.note("a", "added")
    assert client.batches.get_nowait() == (["a"], [], [])
    began = loop.time()
    for task_id in ("b", "c", "b"):
        client.announcer.note(task_id, "changed")
    assert await client.next() == ([], ["b", "c"], [])
    assert loop.time() - began >= 0.24
    client.announcer.close()


async def test_what_comes_and_goes_between_two_batches_is_no_news() -> None:
    client = Client()
    client.announcer.note("a", "changed")
    client.announcer.note("b", "added")
    client.announcer.note("b", "removed")
    client.announcer.note("c", "added")
    client.announcer.note("c", "changed")
    client.batches.get_nowait()
    assert await client.next() == (["c"], [], [])
    client.announcer.close()


async def test_a_task_is_added_once_until_it_is_removed() -> None:
    client = Client()
    client.announcer.note("a", "added")
    assert client.batches.get_nowait() == (["a"], [], [])
    client.announcer.note("a", "added")
    assert await client.next() == ([], ["a"], [])
    client.announcer.note("a", "removed")
    assert await client.next() == ([], [], ["a"])
    client.announcer.note("a", "added")
    assert await client.next() == (["a"], [], [])
    client.announcer.close()


async def test_a_closed_announcer_says_nothing_more() -> None:
    client = Client()
    client.announcer.note("a", "added")
    client.announcer.note("b", "added")
    client.announcer.close()
    client.batches.get_nowait()
    await asyncio.sleep(0)
    assert client.batches.empty()
