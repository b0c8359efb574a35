"""What a process that only reads announces of the owner's runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.app.upkeep.foreign_runs import ForeignRuns
from sidecar.subagents.journal.journal import Journal
from tests.app.upkeep.records import record


@pytest.fixture
async def owner(tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    yield journal
    await journal.aclose()


@pytest.fixture
async def reader(owner: Journal, tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(tmp_path / "sidecar.db", read_only=True)
    yield journal
    await journal.aclose()


async def test_each_change_of_state_is_announced_once(owner: Journal, reader: Journal) -> None:
    before, run = record(), record(status="queued")
    await owner.save(before)
    reported: list[AsyncTask] = []
    runs = ForeignRuns(reader, reported.append)
    await runs.check()
    assert reported == []
    for status in ("queued", "running", "failed"):
        run.task.status = status
        await owner.save(run)
        for _ in range(2):
            await runs.check()
    before.task.status, before.task.end_reason = "failed", "lost"
    await owner.save(before)
    await runs.check()
    assert [(task.id, task.status) for task in reported] == [
        (run.task.id, "queued"),
        (run.task.id, "running"),
        (run.task.id, "failed"),
        (before.task.id, "failed"),
    ]
    assert reported[-1].end_reason == "lost"


async def test_a_run_that_began_and_ended_between_two_looks_is_announced(
    owner: Journal, reader: Journal
) -> None:
    reported: list[AsyncTask] = []
    runs = ForeignRuns(reader, reported.append)
    await runs.check()
    await owner.save(record(status="completed", completed_at=1_001))
    await runs.check()
    assert [task.status for task in reported] == ["completed"]


async def test_a_journal_that_cannot_be_read_is_checked_again(tmp_path: Path) -> None:
    path = tmp_path / "sidecar.db"
    path.write_bytes(b"no database" * 1_000)
    reader = await Journal.open(path, read_only=True, required=False)
    reported: list[AsyncTask] = []
    await ForeignRuns(reader, reported.append).check()
    await reader.aclose()
    assert reported == []
