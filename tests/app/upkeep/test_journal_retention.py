"""The journal stays within the settings while a Host runs."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.app.settings import SettingsStore
from sidecar.app.upkeep.journal_retention import JournalRetention
from sidecar.subagents.journal.journal import Journal
from tests.subagents.journal.conftest import MakeRecord, make_record, turn_off_auto_vacuum

__all__ = ["make_record"]

DAY = 86_400_000
NOW = 1_000 * DAY


class CountingRetention(JournalRetention):
    """Signals the end of each round."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.done: asyncio.Queue[None] = asyncio.Queue()

    async def round(self) -> None:
        await super().round()
        self.done.put_nowait(None)


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    yield journal
    await journal.aclose()


def retention(journal: Journal, **settings: Any) -> CountingRetention:
    return CountingRetention(journal, SettingsStore({"journal": settings}), lambda: NOW, pause_seconds=0)


async def add(journal: Journal, make: MakeRecord, days: float, size: int = 100) -> str:
    record = make("completed", NOW - int(days * DAY), sync=True)
    await journal.save(record)
    await journal.append(record.task.id, [{"seq": 1, "ts": 1, "type": "log", "text": "x" * size}])
    return record.task.id


async def test_runs_are_kept_for_90_days_unless_the_settings_define_another_time(
    journal: Journal, make_record: MakeRecord
) -> None:
    ids = [await add(journal, make_record, days) for days in (91, 89, 4, 2)]
    await retention(journal).round()
    assert await journal.ids() == {*ids[1:]}
    await retention(journal, retentionDays=3).round()
    assert await journal.ids() == {ids[3]}


async def test_removed_runs_are_reported(journal: Journal, make_record: MakeRecord) -> None:
    old, deleted, kept = [await add(journal, make_record, days) for days in (91, 2, 1)]
    unnotified = make_record("completed", NOW - DAY)
    await journal.save(unnotified)
    reported: list[list[str]] = []
    service = JournalRetention(
        journal, SettingsStore({}), lambda: NOW, removed=reported.append, pause_seconds=0
    )
    await service.round()
    await service.forget([deleted, unnotified.task.id])
    await service.round()
    assert reported == [[old], [deleted]]
    assert await journal.ids() == {kept, unnotified.task.id}


async def test_events_of_the_oldest_runs_are_removed_above_the_size_in_the_settings(
    journal: Journal, make_record: MakeRecord
) -> None:
    ids = [await add(journal, make_record, days, 400_000) for days in (4, 3, 2, 1)]
    await retention(journal).round()
    assert [await journal.last_seq(each) for each in ids] == [1, 1, 1, 1]
    await retention(journal, maxMegabytes=1).round()
    assert [await journal.last_seq(each) for each in ids] == [0, 0, 1, 1]
    assert await journal.ids() == {*ids}


async def test_a_round_returns_free_space_to_the_file_system(
    journal: Journal, make_record: MakeRecord, tmp_path: Path
) -> None:
    for days in range(1, 9):
        await add(journal, make_record, days, 1_000_000)
    path = tmp_path / "sidecar.db"
    assert path.stat().st_size > 4_000_000
    await retention(journal, maxMegabytes=2).round()
    assert path.stat().st_size <= 2_000_000


async def test_a_deletion_starts_a_round_that_frees_the_events(
    journal: Journal, make_record: MakeRecord, tmp_path: Path
) -> None:
    deleted, kept = [await add(journal, make_record, 1, 1_000_000) for _ in range(2)]
    service = retention(journal)
    service.rounds.start()
    async with asyncio.timeout(10):
        await service.done.get()
        await service.forget([deleted])
        await service.done.get()
    await service.rounds.aclose()
    assert await journal.ids() == {kept}
    await journal.aclose()
    assert (tmp_path / "sidecar.db").stat().st_size < 1_500_000


async def test_the_journal_of_a_first_version_becomes_smaller_while_the_host_is_idle(
    tmp_path: Path, make_record: MakeRecord
) -> None:
    path = tmp_path / "sidecar.db"
    turn_off_auto_vacuum(path)
    journal = await Journal.open(path)
    ids = [await add(journal, make_record, days, 3_000_000) for days in (91, 1)]
    is_idle = False
    expected: list[Path] = []
    service = CountingRetention(
        journal,
        SettingsStore({}),
        lambda: NOW,
        is_idle=lambda: is_idle,
        expect_journal=expected.append,
        pause_seconds=0,
    )
    await service.round()
    assert path.stat().st_size > 6_000_000
    is_idle = True
    await service.round()
    assert await journal.ids() == {ids[1]}
    await journal.aclose()
    assert path.stat().st_size < 3_500_000
    assert expected == [path.with_name("sidecar.db.compact")]
    assert not expected[0].exists()
