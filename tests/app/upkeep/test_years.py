"""Two years of use leave a journal that is small and opens quickly, and no result that nobody got is lost."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.app.host import Host
from sidecar.app.settings import SettingsStore
from tests.generator.years import DAY_MS, Years, simulate

START = 1_700_000_000_000
DAYS, RUNS_A_DAY = 730, 20


@pytest.fixture(scope="module")
def used() -> Iterator[tuple[Path, Years]]:
    memory = Path("/dev/shm")  # thousands of commits would wait for a disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        root = Path(folder, "root")
        root.mkdir(mode=0o700)
        years = asyncio.run(
            simulate(
                root / "sidecar.db",
                start=START,
                days=DAYS,
                runs_a_day=RUNS_A_DAY,
                undelivered_every=RUNS_A_DAY,
                settings={"retentionDays": 90, "maxMegabytes": 8},
            )
        )
        yield root, years


def query(root: Path, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(root / "sidecar.db") as db:
        found = db.execute(sql).fetchall()
    db.close()
    return found


@pytest.mark.slow
@pytest.mark.timeout(300)  # includes the simulation
def test_the_journal_never_grows_beyond_its_limits(used: tuple[Path, Years]) -> None:
    root, years = used
    week = 7 * RUNS_A_DAY
    assert years.largest < 8_000_000 + week * 10_000
    assert query(root, "PRAGMA integrity_check") == [("ok",)]
    (runs,), (tasks,) = (
        *query(root, "SELECT count(*) FROM runs"),
        *query(root, "SELECT count(DISTINCT task_id) FROM events"),
    )
    assert runs <= 97 * RUNS_A_DAY + len(years.undelivered)
    assert 30 * RUNS_A_DAY < tasks <= runs
    assert query(root, "SELECT count(*) FROM removals WHERE has_events") == [(0,)]


@pytest.mark.slow
@pytest.mark.timeout(300)  # includes the simulation
async def test_no_result_that_nobody_got_is_lost(
    used: tuple[Path, Years], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root, years = used
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    assert len(years.undelivered) == DAYS
    host = await Host.open(root, SettingsStore({"journal": {"retentionDays": 100_000}}))
    undelivered = await host.journal.undelivered()
    assert [record.task.id for record in undelivered] == years.undelivered
    assert all("final_message" in (record.task.output or {}) for record in undelivered)
    pending = [item.task_id for item in host.reminders.outbox.items() if item.state == "pending"]
    assert sorted(pending) == sorted(years.undelivered)
    newest = (await host.journal.list(limit=200)).records
    assert len(newest) == 200
    assert newest[0].task.launched_at == START + (DAYS - 1) * DAY_MS
    await host.aclose()
