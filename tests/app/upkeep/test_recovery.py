"""What a start puts in order after a crash."""

import itertools
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.app.clock import wall_clock_ms
from sidecar.app.host import Host
from sidecar.app.settings import SettingsStore
from sidecar.storage.atomic import temp_path
from sidecar.storage.layout import API_FILE, HISTORY_FILE, UI_FILE, OwnRoot
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.transcript.transcript import Transcript, TranscriptHead
from tests.app.upkeep.records import record

CLOCK = itertools.count(1_000)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnRoot:
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "root").mkdir(mode=0o700)
    return OwnRoot(tmp_path / "root")


@pytest.fixture
async def journal(root: OwnRoot) -> AsyncIterator[Journal]:
    journal = await Journal.open(root.database)
    yield journal
    await journal.aclose()


async def folder(root: OwnRoot, run: RunRecord) -> Path:
    """Make the stored task of a run as a kill leaves it."""
    task = run.task
    head = TranscriptHead(
        task_id=task.id,
        goal=task.goal_prompt,
        subagent_name=task.subagent_name,
        workspace_dir=task.workspace_dir,
        started_at=1_000,
        parent_task_id=None,
    )
    transcript = await Transcript.start(root.path, head, lambda: next(CLOCK))
    transcript._writer.cancel()
    return root.tasks / task.id


def event(seq: int, **members: Any) -> dict[str, Any]:
    return {"seq": seq, "ts": 1_000 + seq} | members


async def start(root: OwnRoot) -> Host:
    keep_all = {"journal": {"retentionDays": 1_000_000}}  # the runs of these tests are from 1970
    return await Host.open(root.path, SettingsStore(keep_all))


async def test_an_end_among_the_events_is_taken_from_there(root: OwnRoot, journal: Journal) -> None:
    now = wall_clock_ms()  # events of runs that ended long ago are pruned
    run = record(launched_at=now)
    await journal.save(run)
    await journal.append(
        run.task.id,
        [
            event(1, type="message", messageId="m", text="found it") | {"ts": now},
            event(2, type="state", status="completed", endReason="goal") | {"ts": now},
        ],
    )
    await journal.aclose()
    host = await start(root)
    found = await host.registry.resolve(run.task.id)
    events = (await host.journal.read_events(run.task.id)).events
    await host.aclose()
    assert (found.task.status, found.task.end_reason) == ("completed", "goal")
    assert (found.task.output or {})["final_message"] == "found it"
    assert [each["type"] for each in events] == ["message", "state"]


async def test_the_folder_of_a_run_that_ended_in_the_journal_is_finished_and_swept(
    root: OwnRoot, journal: Journal
) -> None:
    run = record()
    path = await folder(root, run)
    temp_path(path / UI_FILE).write_bytes(b"half")
    ended = record(id=run.task.id, status="completed", completed_at=2_000, end_reason="goal")
    await journal.end(ended, 1, orjson.dumps(event(1, type="state", status="completed")))
    await journal.aclose()
    host = await start(root)
    await host.aclose()
    item = orjson.loads((path / HISTORY_FILE).read_bytes())
    assert (item["outcome"], item["ts"]) == ("completed", 2_000)
    assert {entry.name for entry in path.iterdir()} == {UI_FILE, API_FILE, HISTORY_FILE}
    again = await Journal.open(root.database)
    assert await again.unfinished_transcripts() == []
    await again.aclose()


async def test_one_folder_that_cannot_be_written_stops_nothing(root: OwnRoot, journal: Journal) -> None:
    bad, good = record(), record()
    for run in (bad, good):
        await journal.save(run)
    path = await folder(root, bad)
    (path / HISTORY_FILE).unlink()
    (path / HISTORY_FILE).mkdir()
    await journal.aclose()
    host = await start(root)
    tasks = [(await host.registry.resolve(run.task.id)).task for run in (bad, good)]
    await host.aclose()
    assert [(task.status, task.end_reason) for task in tasks] == [("failed", "lost")] * 2


async def test_a_lost_run_says_whether_it_had_started(root: OwnRoot, journal: Journal) -> None:
    ran, waited = record(), record(status="queued", launched_at=None, queued_at=1_000)
    for run in (ran, waited):
        await journal.save(run)
    await journal.aclose()
    host = await start(root)
    errors = [(await host.registry.resolve(run.task.id)).task.error or "" for run in (ran, waited)]
    await host.aclose()
    assert "in progress" in errors[0]
    assert errors[1] == "The sidecar was killed while this run was in the queue; it did not start."


async def test_a_bad_row_does_not_stop_the_recovery_of_others(root: OwnRoot, journal: Journal) -> None:
    bad, good = record(), record()
    for run in (bad, good):
        await journal.save(run)
    await journal.aclose()
    with sqlite3.connect(root.database) as db:
        db.execute("UPDATE runs SET body = x'00' WHERE id = ?", (bad.task.id,))
    db.close()
    host = await start(root)
    page = await host.journal.list()
    counts = await host.journal.counts()
    await host.aclose()
    assert {each.task.id: each.task.status for each in page.records} == {
        bad.task.id: "failed",
        good.task.id: "failed",
    }
    assert (counts["running"], counts["failed"]) == (0, 2)


async def test_ends_that_earlier_versions_kept_for_the_model_are_pending_only_if_it_launched_them(
    root: OwnRoot, journal: Journal
) -> None:
    ended = {"status": "failed", "completed_at": 2_000, "end_reason": "error", "error": "x"}
    by_client, by_model, asked_for = record(**ended), record(**ended), record(**ended)
    by_model.origin, asked_for.notify_model = "model", True
    for run in (by_client, by_model, asked_for):
        await journal.save(run)
    await journal.aclose()
    host = await start(root)
    reminder = host.reminders.outbox.next()
    marked = await host.journal.get(by_client.task.id)
    await host.aclose()
    assert set(reminder.task_ids) == {by_model.task.id, asked_for.task.id}
    assert marked is not None
    assert marked.task.notified_at is not None


async def test_a_lost_run_of_a_client_is_not_a_reminder(root: OwnRoot, journal: Journal) -> None:
    by_client, asked_for = record(), record()
    asked_for.notify_model = True
    for run in (by_client, asked_for):
        await journal.save(run)
    await journal.aclose()
    host = await start(root)
    reminder = host.reminders.outbox.next()
    task = (await host.registry.resolve(by_client.task.id)).task
    await host.aclose()
    assert reminder.task_ids == [asked_for.task.id]
    assert (task.end_reason, task.notified_at) == ("lost", task.completed_at)


async def test_a_run_from_after_now_is_lost_too(root: OwnRoot, journal: Journal) -> None:
    run = record(launched_at=9_999_999_999_999)  # a clock that was set back since
    await journal.save(run)
    await journal.aclose()
    host = await start(root)
    found = await host.registry.resolve(run.task.id)
    await host.aclose()
    assert (found.task.status, found.task.end_reason) == ("failed", "lost")


@pytest.mark.parametrize(
    "odd", [{"type": "emit"}, {"type": "log", "ts": "x"}, {"type": "tool", "name": 5}, {"type": 7}]
)
async def test_an_odd_event_of_an_unfinished_run_stops_nothing(
    root: OwnRoot, journal: Journal, odd: dict[str, Any]
) -> None:
    run = record()
    await journal.save(run)
    await journal.append(run.task.id, [{**event(1), **odd}])
    await journal.aclose()
    host = await start(root)
    found = await host.registry.resolve(run.task.id)
    await host.aclose()
    assert (found.task.status, found.task.end_reason) == ("failed", "lost")


async def test_a_run_whose_record_cannot_be_read_ends_everywhere_as_failed(
    root: OwnRoot, journal: Journal
) -> None:
    run = record()
    await journal.save(run)
    path = await folder(root, run)
    await journal.append(run.task.id, [event(1)])
    await journal.aclose()
    with sqlite3.connect(root.database) as db:
        db.execute("UPDATE runs SET body = ?", (b"{",))
    db.close()
    host = await start(root)
    found = (await host.registry.resolve(run.task.id)).task
    counts = await host.journal.counts()
    last = (await host.events.read(run.task.id)).events[-1]
    reminder = host.reminders.outbox.next()
    await host.aclose()
    assert found.status == "failed" and "cannot be read" in str(found.error)
    assert (counts["failed"], sum(counts.values())) == (1, 1)
    assert (last["type"], last["status"], last["endReason"]) == ("state", "failed", "error")
    assert reminder.task_ids == [run.task.id]
    assert orjson.loads((path / HISTORY_FILE).read_bytes())["outcome"] == "failed"


async def test_a_run_in_a_state_of_a_newer_version_ends_as_lost(root: OwnRoot, journal: Journal) -> None:
    run = record()
    await journal.save(run)
    await journal.aclose()
    with sqlite3.connect(root.database) as db:
        db.execute("UPDATE runs SET status = 'paused'")
    db.close()
    host = await start(root)
    found = (await host.registry.resolve(run.task.id)).task
    counts = await host.journal.counts()
    await host.aclose()
    assert (found.status, found.end_reason) == ("failed", "lost")
    assert (counts["failed"], sum(counts.values())) == (1, 1)


async def test_a_reason_of_a_newer_version_gives_a_readable_record(root: OwnRoot, journal: Journal) -> None:
    run = record()
    await journal.save(run)
    path = await folder(root, run)
    end = event(1, type="state", status="completed", endReason="tomorrowsWord")
    await journal.append(run.task.id, [end])
    await journal.aclose()
    host = await start(root)
    found = await host.registry.resolve(run.task.id)
    await host.aclose()
    assert (found.task.status, found.task.end_reason, found.unreadable) == ("completed", "goal", False)
    item = orjson.loads((path / HISTORY_FILE).read_bytes())
    assert item["outcome"] == "completed"
