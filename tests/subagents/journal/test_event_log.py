import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.errors import StorageError
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal

Step = tuple[str, int]


@pytest.fixture
async def log(journal: Journal) -> AsyncIterator[EventLog]:
    yield EventLog(journal, itertools.count(100).__next__, tail_bytes=400)


async def read_all(log: EventLog, task_id: str, after: int = 0, limit: int = 7) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    while True:
        page = await log.read(task_id, after, limit)
        events += page.events
        after = page.last_seq
        if not page.more:
            return events


async def test_events_are_numbered_from_one_and_stamped(log: EventLog) -> None:
    assert [await log.append("a", {"type": "log", "seq": 9, "ts": 9}) for _ in range(2)] == [1, 2]
    assert await log.append("b", {"type": "log"}) == 1
    assert (await log.read("a")).events == [
        {"type": "log", "seq": 1, "ts": 100},
        {"type": "log", "seq": 2, "ts": 101},
    ]


async def test_numbers_continue_after_a_restart(path: Path) -> None:
    for expected in (1, 2, 3):
        journal = await Journal.open(path)
        assert await EventLog(journal, lambda: 0).append("a", {"type": "state"}) == expected
        await journal.aclose()


async def test_concurrent_writers_cause_no_gaps_and_no_duplicates(log: EventLog) -> None:
    seqs = await asyncio.gather(*(log.append("a", {"type": "log", "text": "x" * 90}) for _ in range(100)))
    assert sorted(seqs) == list(range(1, 101))
    assert [event["seq"] for event in await read_all(log, "a")] == list(range(1, 101))


async def test_a_watcher_gets_each_later_event_once_and_in_order(log: EventLog) -> None:
    heard: list[int] = []
    await log.append("a", {"type": "log"})
    unwatch = log.watch("a", lambda event: heard.append(event["seq"]))
    await asyncio.gather(*(log.append("a", {"type": "log"}) for _ in range(5)))
    await log.append("b", {"type": "log"})
    unwatch()
    unwatch()
    await log.append("a", {"type": "log"})
    assert heard == [2, 3, 4, 5, 6]


async def test_a_failing_watcher_does_not_affect_others(
    log: EventLog, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []

    def fail(_: dict[str, Any]) -> None:
        raise RuntimeError("watcher")

    log.watch("a", fail)
    log.watch("a", lambda event: heard.append(event["seq"]))
    assert await log.append("a", {"type": "log"}) == 1
    assert heard == [1]
    assert "a watcher of task a failed" in caplog.text


async def test_events_before_a_watch_are_read_without_gaps_or_duplicates(log: EventLog) -> None:
    async def write() -> None:
        for _ in range(60):
            await log.append("a", {"type": "message", "text": "x" * 50})

    writing = asyncio.create_task(write())
    while await log.last_seq("a") < 20:
        await asyncio.sleep(0)
    heard: list[int] = []
    log.watch("a", lambda event: heard.append(event["seq"]))
    before = await log.last_seq("a")
    missed = [event["seq"] for event in await read_all(log, "a") if event["seq"] <= before]
    await writing
    assert missed + heard == list(range(1, 61))


async def test_an_ended_task_is_read_from_the_journal(log: EventLog) -> None:
    await log.append("a", {"type": "state"})
    log.close_task("a")
    assert await log.last_seq("a") == 1
    assert [event["seq"] for event in (await log.read("a")).events] == [1]
    assert await log.append("a", {"type": "state"}) == 2


async def test_no_event_is_accepted_after_the_journal_is_closed(log: EventLog, journal: Journal) -> None:
    await log.append("a", {"type": "state"})
    await journal.aclose()
    with pytest.raises(StorageError, match="closed"):
        await log.append("a", {"type": "state"})


async def test_events_that_were_read_are_durable(log: EventLog, path: Path) -> None:
    await log.append("a", {"type": "message", "text": "x"})
    (event,) = (await log.read("a")).events
    other = await Journal.open(path, read_only=True)
    try:
        assert (await other.read_events("a")).events == [event]
    finally:
        await other.aclose()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 300)),
        st.tuples(st.just("read"), st.integers(1, 5)),
        st.tuples(st.just("bytes"), st.integers(1, 500)),
        st.tuples(st.just("close"), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=30, deadline=None)
@given(steps=STEPS, tail_bytes=st.integers(0, 600))
def test_any_concurrent_read_returns_each_event_once(steps: list[Step], tail_bytes: int) -> None:
    written, seen = asyncio.run(follow(steps, tail_bytes))
    assert seen == list(range(1, written + 1))


async def follow(steps: list[Step], tail_bytes: int) -> tuple[int, list[int]]:
    with tempfile.TemporaryDirectory() as directory:
        journal = await Journal.open(Path(directory) / "sidecar.db")
        log = EventLog(journal, lambda: 0, tail_bytes=tail_bytes)
        written, seen = 0, list[int]()
        for step, size in [*steps, ("read", 1_000)]:
            if step == "append":
                written = await log.append("t", {"type": "log", "text": "x" * size})
            elif step == "close":
                log.close_task("t")
            else:
                limit, max_bytes = (size, 1 << 20) if step == "read" else (200, size)
                page = await log.read("t", seen[-1] if seen else 0, limit, max_bytes)
                seen += [event["seq"] for event in page.events]
                assert page.more == (len(seen) < written)
                assert page.last_seq == len(seen)
        await journal.aclose()
        return written, seen
