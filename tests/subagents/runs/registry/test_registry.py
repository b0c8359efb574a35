"""What a registry reports of a run's end, and when."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncStatus, AsyncTask, Changes, Placement, PlacementState, Progress
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal import queries as journal_queries
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry import directory
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.outcome import HOST_EXIT, Outcome, cancelled, failed

GOAL = Outcome("completed", "goal", output={"terminate_reason": "GOAL", "emitted_vars": {}})


class Setting:
    """A registry on a journal of its own; `reported` has each status that clients were notified of."""

    def __init__(self, journal: Journal) -> None:
        self.now = 1_000
        self.journal = journal
        self.reported: list[AsyncStatus] = []
        self.ended: list[str] = []
        self.events = EventLog(journal, lambda: self.now)
        self.registry = RunRegistry(
            journal,
            self.events,
            lambda: self.now,
            lambda task: self.reported.append(task.status),
        )
        self.registry.ended.subscribe(lambda run: self.ended.append(run.id))

    async def add(self, status: AsyncStatus = "running") -> Run:
        task = AsyncTask(
            id=new_task_id(),
            subagent_name="scout",
            goal_prompt="look",
            status=status,
            queued_at=self.now if status == "queued" else None,
            launched_at=None if status == "queued" else self.now,
            progress=Progress(last_activity_at=self.now),
            runner="r",
            workspace_dir="/w",
        )
        return await self.registry.add(RunRecord(task=task, origin="client", request={}))

    async def kinds(self, run: Run) -> list[tuple[str, str | None]]:
        page = await self.journal.read_events(run.id)
        return [(event["status"], event.get("endReason")) for event in page.events if "status" in event]


@pytest.fixture
async def setting(tmp_path: Path) -> AsyncIterator[Setting]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    setting = Setting(journal)
    yield setting
    await setting.registry.aclose(5)
    await journal.aclose()


class FullDisk:
    """Lets the journal refuse every end until `free` is called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._is_full = True
        save_end = journal_queries.save_end

        def refuse(db: sqlite3.Connection, row: Any) -> None:
            if self._is_full:
                raise sqlite3.OperationalError("database or disk is full")
            save_end(db, row)

        monkeypatch.setattr(journal_queries, "save_end", refuse)

    def free(self) -> None:
        self._is_full = False


async def test_the_end_is_one_event_and_one_record(setting: Setting) -> None:
    run = await setting.add()
    assert setting.registry.conclude(run.id, GOAL)
    await setting.registry.settled(run.id)
    kept = await setting.journal.get(run.id)
    assert kept is not None
    assert (kept.task.status, kept.task.end_reason, setting.ended) == ("completed", "goal", [run.id])
    assert await setting.kinds(run) == [("running", None), ("completed", "goal")]
    assert setting.reported == ["running", "completed"]


async def test_an_end_that_is_not_durable_is_not_reported(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, disk = await setting.add(), FullDisk(monkeypatch)
    setting.registry.conclude(run.id, GOAL)
    with pytest.raises(StorageError, match="disk is full"):
        await setting.registry.recorded(run.id)
    found = await setting.registry.find(run.id)
    assert found is not None
    assert setting.registry.current(found).status == "running"
    assert (setting.reported, setting.ended) == (["running"], [])
    assert [event["status"] for event in (await setting.events.read(run.id)).events] == ["running"]
    disk.free()
    async with asyncio.timeout(10):
        await setting.registry.settled(run.id)
    assert (setting.reported, setting.ended) == (["running", "completed"], [run.id])
    assert await setting.kinds(run) == [("running", None), ("completed", "goal")]


async def test_an_end_kept_until_the_host_ends_is_tried_once_more(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, disk = await setting.add(), FullDisk(monkeypatch)
    setting.registry.conclude(run.id, GOAL)
    with pytest.raises(StorageError):
        await setting.registry.recorded(run.id)
    disk.free()
    await setting.journal.aclose()
    again = await Journal.open(tmp_path / "sidecar.db")
    kept = await again.get(run.id)
    await again.aclose()
    assert kept is not None
    assert kept.task.status == "completed"


async def test_the_first_end_wins(setting: Setting) -> None:
    run = await setting.add()
    assert setting.registry.conclude(run.id, cancelled("user", "enough"))
    assert not setting.registry.conclude(run.id, GOAL)
    await setting.registry.settled(run.id)
    assert not setting.registry.conclude(run.id, HOST_EXIT)
    page = await setting.journal.read_events(run.id)
    assert page.events[-1]["reason"] == "enough"


async def test_an_end_stops_what_executes_the_run_even_when_that_begins_later(setting: Setting) -> None:
    run, before, after = await setting.add(), Abort(), Abort()
    run.attach(before)
    setting.registry.conclude(run.id, HOST_EXIT)
    run.attach(after)
    assert before.outcome == after.outcome == HOST_EXIT


async def test_a_run_that_ended_in_the_queue_does_not_start(setting: Setting) -> None:
    run = await setting.add("queued")
    setting.registry.conclude(run.id, cancelled("user"))
    await setting.registry.start(run)
    await setting.registry.settled(run.id)
    assert await setting.kinds(run) == [("queued", None), ("cancelled", "cancelledByUser")]


async def test_what_was_remembered_before_the_end_does_not_revive_the_run(setting: Setting) -> None:
    run = await setting.add()
    setting.registry.remember(run)
    setting.registry.conclude(run.id, GOAL)
    setting.registry.remember(run)
    await setting.registry.settled(run.id)
    await setting.journal.save(RunRecord(task=(await setting.add()).record.task, origin="client", request={}))
    kept = await setting.journal.get(run.id)
    assert kept is not None
    assert kept.task.status == "completed"


async def test_a_clock_set_back_gives_no_end_before_the_start_and_no_event_before_another(
    setting: Setting,
) -> None:
    setting.now = 50_000
    run = await setting.add()
    setting.now = 10_000
    await setting.registry.emit(run, {"type": "log", "stream": "stderr", "text": "x"})
    setting.registry.conclude(run.id, failed("error", "no"))
    await setting.registry.settled(run.id)
    assert run.record.task.completed_at == 50_000
    times = [event["ts"] for event in (await setting.journal.read_events(run.id)).events]
    assert times == sorted(times)


async def test_tokens_reported_after_the_end_still_count(setting: Setting) -> None:
    run = await setting.add()
    setting.registry.conclude(run.id, cancelled("user"))
    await setting.registry.settled(run.id)
    await setting.registry.emit(run, {"type": "usage", "inputTokens": 7, "cacheReads": 90})
    await setting.registry.emit(run, {"type": "message", "messageId": "m", "text": "late"})
    await setting.registry.add_late_usage(run)
    kept = await setting.journal.get(run.id)
    assert kept is not None
    assert (kept.task.progress.input_tokens, kept.task.progress.cache_reads) == (7, 90)
    assert (kept.task.status, kept.task.progress.last_text) == ("cancelled", None)


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_changes_that_come_back_after_the_end_are_counted(setting: Setting, is_recorded: bool) -> None:
    run = await setting.add()
    setting.registry.conclude(run.id, cancelled("user"))
    if is_recorded:
        await setting.registry.settled(run.id)
    run.counted_changes = Changes(files=1, additions=2, deletions=3)
    setting.registry.show_changes(run)
    await setting.registry.aclose(10)
    kept = await setting.journal.get(run.id)
    assert kept is not None
    assert (kept.task.status, kept.task.changes) == ("cancelled", run.counted_changes)
    assert kept.has_changes and not kept.has_left


async def test_changes_that_only_the_agent_named_have_not_come_back(setting: Setting) -> None:
    run = await setting.add()
    diff = {"type": "diff", "path": "/w/a.txt", "oldText": "one", "newText": "two"}
    tool = {"type": "tool", "name": "edit", "toolCallId": "t", "status": "completed", "content": [diff]}
    await setting.registry.emit(run, tool)
    setting.registry.conclude(run.id, failed("lost", "gone"))
    await setting.registry.settled(run.id)
    kept = await setting.journal.get(run.id)
    assert kept is not None and kept.task.changes is not None
    assert not kept.has_changes


async def test_a_run_that_left_its_cluster_is_recorded_after_its_end(setting: Setting) -> None:
    run = await setting.add()
    run.counted_changes = Changes(files=1, additions=2, deletions=3)
    run.has_left = True
    setting.registry.left_cluster(run)
    setting.registry.conclude(run.id, cancelled("user"))
    await setting.registry.aclose(10)
    kept = await setting.journal.get(run.id)
    assert kept is not None and (kept.task.status, kept.has_changes, kept.has_left) == (
        "cancelled",
        True,
        True,
    )


@pytest.mark.parametrize(
    ("last", "shown"),
    [("waiting", "ended"), ("starting", "ended"), ("running", "ended"), ("lost", "lost")],
)
async def test_an_ended_run_is_nowhere_on_its_cluster(
    setting: Setting, last: PlacementState, shown: PlacementState
) -> None:
    run = await setting.add()
    run.record.task.placement = Placement(kind="ray", node="A", state=last)
    setting.registry.conclude(run.id, cancelled("user"))
    await setting.registry.settled(run.id)
    kept = await setting.journal.get(run.id)
    assert kept is not None and kept.task.placement is not None
    assert (kept.task.placement.node, kept.task.placement.state) == ("A", shown)


async def test_a_run_lost_on_its_way_to_a_cluster_is_lost_there(setting: Setting) -> None:
    run = await setting.add()
    run.record.task.placement = Placement(kind="ray", state="starting")
    setting.registry.conclude(run.id, failed("lost", "The sidecar was killed."))
    await setting.registry.settled(run.id)
    kept = await setting.journal.get(run.id)
    assert kept is not None and kept.task.placement is not None
    assert kept.task.placement.state == "lost"


class Unwritable:
    """An executor whose stored task refuses the end once, and being made durable once."""

    def __init__(self) -> None:
        self.attempts = self.syncs = 0
        self.written = asyncio.Event()

    async def finish(self, task: AsyncTask) -> None:
        self.attempts += 1
        if self.attempts == 1:
            raise StorageError("no room", reason="no room")

    async def sync(self) -> None:
        self.syncs += 1
        if self.syncs == 1:
            raise StorageError("no room", reason="no room")
        self.written.set()

    async def steer(self, text: str) -> bool:
        """Take no message."""
        return False

    def send(self, text: str) -> None:
        """Take no message."""


async def test_a_transcript_that_cannot_be_written_delays_nothing_and_is_tried_again(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecar.subagents.runs.registry.transcripts.RETRY_SECONDS", 0.01)
    run, executor = await setting.add(), Unwritable()
    run.executor = executor
    setting.registry.conclude(run.id, GOAL)
    await setting.registry.settled(run.id)
    assert setting.reported == ["running", "completed"]
    async with asyncio.timeout(5):
        await executor.written.wait()
    await setting.registry.aclose(5)
    await setting.journal.flush()
    assert await setting.journal.unfinished_transcripts() == []


async def test_an_end_is_reported_before_its_transcript_is_durable(setting: Setting) -> None:
    run, executor = await setting.add(), Unwritable()
    run.executor = executor
    setting.registry.conclude(run.id, GOAL)
    await setting.registry.settled(run.id)
    assert (executor.attempts, executor.syncs, setting.reported) == (1, 0, ["running", "completed"])
    assert [each.task.id for each in await setting.journal.unfinished_transcripts()] == [run.id]


async def test_the_next_start_finds_a_transcript_that_was_never_finished(setting: Setting) -> None:
    run = await setting.add()
    setting.registry.conclude(run.id, GOAL)
    await setting.registry.settled(run.id)
    (record,) = await setting.journal.unfinished_transcripts()
    assert record.task.id == run.id


async def test_a_run_that_its_owner_left_is_live_until_its_end_is_written(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Setting(setting.journal)
    run = await owner.add()
    monkeypatch.setattr(directory, "FOREIGN_POLL_SECONDS", 0)
    waiting = asyncio.create_task(setting.registry.settled(run.id))
    assert await setting.registry.is_live(run.id) and not waiting.done()
    owner.registry.conclude(run.id, GOAL)
    await waiting
    assert not await setting.registry.is_live(run.id)


async def test_a_run_whose_journal_is_gone_is_shown_as_ended(setting: Setting) -> None:
    run = await setting.add()
    setting.journal.give_up()
    setting.registry.abandon(HOST_EXIT)
    await setting.registry.settled(run.id)
    found = await setting.registry.resolve(run.id)
    task = setting.registry.current(found)
    assert (task.status, task.end_reason, setting.reported) == ("failed", "hostExit", ["running", "failed"])
    assert (await setting.journal.counts())["running"] == 0
