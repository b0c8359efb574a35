"""What `reminders/delivered` promises: an answer means that the mark is kept."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncTask, Owner, Progress
from sidecar.app.outbound.client_reminders import ClientReminders
from sidecar.app.outbound.reminders import Reminders
from sidecar.app.settings import SettingsStore
from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.journal import queries as journal_queries
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.runner_quota import RunnerQuota
from sidecar.subagents.reminders.scope import Audience
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.holds import RunnerHolds
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.tasks.slots import Slot


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    yield journal
    await journal.aclose()


class NoStarter:
    async def start(self, prepared: PreparedLaunch, slot: Slot) -> None:
        raise AssertionError("nothing is launched here")


async def no_turn(message: str, task_ids: list[str], delivery_id: str) -> bool:
    raise AssertionError("the agent is busy")


@pytest.fixture
async def every(journal: Journal) -> AsyncIterator[Reminders]:
    manager = AsyncTaskManager()
    settings = SettingsStore()
    admission = Admission(
        manager, RunnerQuota(settings), RunnerHolds(), NoStarter(), lambda record: None, lambda record: None
    )
    registry = RunRegistry(journal, EventLog(journal, lambda: 5), lambda: 5, lambda task: None)
    reminders = Reminders(manager, journal, admission, registry, settings)
    task = AsyncTask(
        id="run-1",
        subagent_name="scout",
        goal_prompt="look",
        status="completed",
        launched_at=1,
        completed_at=2,
        output={"terminate_reason": "GOAL", "emitted_vars": {}},
        progress=Progress(last_activity_at=2),
        runner="r",
        workspace_dir="/w",
    )
    record = RunRecord(task=task, origin="model", request={})
    await journal.save(record)
    reminders.restore(record)
    yield reminders
    await reminders.aclose()
    await registry.aclose(1)


@pytest.fixture
async def reminders(every: Reminders) -> AsyncIterator[ClientReminders]:
    client = ClientReminders(
        every, SettingsStore(), lambda task_id: True, lambda: True, no_turn, name="editor"
    )
    client.start()
    yield client
    await client.aclose()


async def notified_at(journal: Journal) -> int | None:
    record = await journal.get("run-1")
    assert record is not None
    return record.task.notified_at


async def test_a_delivery_that_is_answered_is_kept(reminders: ClientReminders, journal: Journal) -> None:
    reminder = await reminders.next()
    assert reminder.delivery_id is not None
    await reminders.delivered(reminder.delivery_id)
    assert await notified_at(journal) is not None
    assert (await reminders.next()).task_ids == []


async def test_a_mark_that_the_disk_does_not_take_is_an_error_and_the_end_stays_pending(
    reminders: ClientReminders, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any, **named: Any) -> list[str]:
        raise sqlite3.OperationalError("database or disk is full")

    reminder = await reminders.next()
    assert reminder.delivery_id is not None
    with monkeypatch.context() as patch:
        patch.setattr(journal_queries, "mark_notified", refuse)
        with pytest.raises(StorageError, match="disk is full"):
            await reminders.delivered(reminder.delivery_id)
    assert await notified_at(journal) is None
    again = await reminders.next()
    assert again.task_ids == ["run-1"]
    assert again.delivery_id is not None
    await reminders.delivered(again.delivery_id)
    assert await notified_at(journal) is not None


async def test_the_deliveries_of_earlier_processes_are_in_the_outbox(
    reminders: ClientReminders, every: Reminders, journal: Journal
) -> None:
    await journal.record_delivery("earlier", ["run-1"], 1, "open", "mcp")
    await every.restore_deliveries()
    (item,) = await reminders.items()
    (earlier,) = item.deliveries
    assert (earlier.delivery_id, earlier.at, earlier.state, earlier.client) == ("earlier", 1, "failed", "mcp")


async def test_the_outbox_names_who_got_a_reminder(reminders: ClientReminders, journal: Journal) -> None:
    await reminders.next()
    (item,) = await reminders.items()
    assert [each.client for each in item.deliveries] == ["editor"]
    assert [each.client for each in await journal.deliveries()] == ["editor"]


async def test_the_outbox_shows_no_end_of_another_workspace_after_a_restart(
    every: Reminders, journal: Journal
) -> None:
    record = await journal.get("run-1")
    assert record is not None
    record.task.id, record.task.owner = "run-2", Owner(client="a", workspace_dir="/elsewhere")
    record.task.notified_at = 3
    await journal.save(record)
    await journal.record_delivery("earlier", ["run-2"], 1, "delivered")
    await every.restore_deliveries()
    audience = Audience("a", {"/w"})
    client = ClientReminders(
        every,
        SettingsStore(),
        lambda task_id: audience.is_concerned(every.owner_of(task_id), "workspace"),
        lambda: True,
        no_turn,
    )
    assert [item.task_id for item in await client.items()] == ["run-1"]
