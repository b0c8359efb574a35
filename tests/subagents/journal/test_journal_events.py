import asyncio
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.journal import queue as journal_module
from sidecar.subagents.journal.journal import EventPage, Journal


def events(*seqs: int, text: str = "") -> list[dict[str, Any]]:
    return [{"seq": seq, "ts": seq * 10, "type": "message", "text": text} for seq in seqs]


async def test_events_are_read_in_order_after_a_seq(journal: Journal) -> None:
    await journal.append("a", events(1, 2, 3))
    await journal.append("b", events(1))
    assert await journal.read_events("a", 1) == EventPage(events(2, 3), 3, False)
    assert await journal.last_seq("b") == 1
    assert await journal.last_seq("none") == 0


async def test_a_page_is_bounded_by_number(journal: Journal) -> None:
    await journal.append("a", events(*range(1, 6)))
    assert await journal.read_events("a", 0, limit=2) == EventPage(events(1, 2), 2, True)
    assert await journal.read_events("a", 3, limit=2) == EventPage(events(4, 5), 5, False)


async def test_a_page_is_bounded_by_bytes_but_contains_an_event(journal: Journal) -> None:
    await journal.append("a", events(1, 2, 3, text="x" * 1_000))
    assert (await journal.read_events("a", max_bytes=10)).last_seq == 1
    assert (await journal.read_events("a", max_bytes=2_500)).last_seq == 2


@pytest.mark.parametrize("after", [3, 4, 1 << 80])
async def test_a_page_beyond_the_end_is_empty_and_has_the_last_seq(journal: Journal, after: int) -> None:
    await journal.append("a", events(1, 2, 3))
    assert await journal.read_events("a", after) == EventPage([], 3, False)


async def test_flushed_events_survive_a_restart(path: Path) -> None:
    journal = await Journal.open(path)
    await journal.append("a", events(1, 2, text="\ud83d"))
    await journal.flush()
    reader = await Journal.open(path, read_only=True)
    assert (await reader.read_events("a")).events == events(1, 2, text="\ud83d")
    await reader.aclose()
    await journal.aclose()


async def test_events_that_are_not_urgent_are_committed_soon(journal: Journal, path: Path) -> None:
    reader = await Journal.open(path, read_only=True)
    await journal.append("a", events(1))
    async with asyncio.timeout(5):
        while await reader.last_seq("a") == 0 or journal.depth > 0:
            await asyncio.sleep(0)
    await reader.aclose()


async def test_a_full_queue_makes_the_writer_wait(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MAX_QUEUED", 3)
    depths = []
    for seq in range(1, 40):
        await journal.append("a", events(seq))
        depths.append(journal.depth)
    assert max(depths) <= 3
    assert (await journal.read_events("a", limit=100)).events == events(*range(1, 40))


async def test_all_waiting_writers_finish(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MAX_QUEUED_BYTES", 100)
    tasks = [str(n) for n in range(50)]
    async with asyncio.timeout(20):
        await asyncio.gather(*(journal.append(task, events(1, text="x" * 200)) for task in tasks))
    assert [await journal.last_seq(task) for task in tasks] == [1] * 50


async def test_closing_writes_queued_events(path: Path) -> None:
    journal = await Journal.open(path)
    await journal.append("a", events(*range(1, 1_200)))
    for seq in range(1_200, 3_000):
        await journal.append("a", events(seq))
    await journal.aclose()
    again = await Journal.open(path)
    assert await again.last_seq("a") == 2_999
    await again.aclose()
