"""Changes of stored tasks, gathered into batches."""

import asyncio

import pytest

from sidecar.app.outbound import change_batcher
from sidecar.app.outbound.change_batcher import ChangeBatcher

Batch = tuple[list[str], list[str], list[str]]


class Client:
    """Takes batches; a test waits for them."""

    def __init__(self) -> None:
        self.batches: asyncio.Queue[Batch] = asyncio.Queue()
        self.announcer = ChangeBatcher(lambda *batch: self.batches.put_nowait(batch))

    async def next(self) -> Batch:
        return await asyncio.wait_for(self.batches.get(), 5)


async def test_the_first_change_is_reported_at_once_and_the_next_ones_together() -> None:
    client, loop = Client(), asyncio.get_running_loop()
    client.announcer.record("a", "added")
    assert client.batches.get_nowait() == (["a"], [], [])
    began = loop.time()
    for task_id in ("b", "c", "b"):
        client.announcer.record(task_id, "changed")
    assert await client.next() == ([], ["b", "c"], [])
    assert loop.time() - began >= 0.24
    client.announcer.close()


async def test_what_comes_and_goes_between_two_batches_is_not_reported() -> None:
    client = Client()
    client.announcer.record("a", "changed")
    client.announcer.record("b", "added")
    client.announcer.record("b", "removed")
    client.announcer.record("c", "added")
    client.announcer.record("c", "changed")
    client.batches.get_nowait()
    assert await client.next() == (["c"], [], [])
    client.announcer.close()


async def test_a_task_is_added_once_until_it_is_removed() -> None:
    client = Client()
    client.announcer.record("a", "added")
    assert client.batches.get_nowait() == (["a"], [], [])
    client.announcer.record("a", "added")
    assert await client.next() == ([], ["a"], [])
    client.announcer.record("a", "removed")
    assert await client.next() == ([], [], ["a"])
    client.announcer.record("a", "added")
    assert await client.next() == (["a"], [], [])
    client.announcer.close()


async def test_only_the_newest_tasks_are_remembered_so_that_thousands_of_runs_need_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(change_batcher, "MOST_ANNOUNCED", 2)
    client = Client()
    client.announcer.record("a", "added")
    client.batches.get_nowait()
    for task_id in ("b", "c", "b"):
        client.announcer.record(task_id, "added")
    assert await client.next() == (["b", "c"], [], [])
    for task_id in ("a", "b", "c"):
        client.announcer.record(task_id, "added")
    assert await client.next() == (["a"], ["b", "c"], [])
    client.announcer.close()


async def test_a_closed_announcer_says_nothing_more() -> None:
    client = Client()
    client.announcer.record("a", "added")
    client.announcer.record("b", "added")
    client.announcer.close()
    client.batches.get_nowait()
    await asyncio.sleep(0)
    assert client.batches.empty()
