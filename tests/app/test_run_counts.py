"""That the runs counted as running never exceed the limit, whatever happens to a launch."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace
from sidecar.app.run_counts import RunCounts, count_runs
from sidecar.app.settings import SettingsStore
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.transcript.transcript import Transcript
from tests.app.callers import caller

SETTINGS = {"asyncTasks": {"max": 1}, "runners": {"cat": {"type": "command", "command": ["cat"]}}}
COUNTS = {"queued": 0, "running": 0, "completed": 0, "failed": 0, "cancelled": 0}


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Host]:
    agents = tmp_path / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    (agents / "cat.md").write_text("---\nname: cat\ndescription: x.\nrunner: cat\n---\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    host = await Host.open(tmp_path / "root", SettingsStore(SETTINGS))
    yield host
    await host.aclose()


def run(status: Any, *, sync: bool = False) -> RunRecord:
    task = AsyncTask(
        id=f"{status}-{sync}",
        subagent_name="scout",
        goal_prompt="look",
        status=status,
        launched_at=None if status == "queued" else 1,
        queued_at=1,
        progress=Progress(last_activity_at=1),
        runner="r",
        workspace_dir="/w",
    )
    return RunRecord(task=task, origin="client", request={}, sync=sync)


def as_lost(record: RunRecord) -> RunRecord:
    lost = run(record.task.status, sync=record.sync)
    lost.task.status = "failed"
    return lost


async def test_a_failed_launch_keeps_its_slot_until_its_end_is_recorded(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*given: Any, **named: Any) -> Transcript:
        raise StorageError("no room for the folder")

    recording, may_record = asyncio.Event(), asyncio.Event()
    end = host.events.end

    async def end_later(*given: Any) -> None:
        recording.set()
        await may_record.wait()
        await end(*given)

    monkeypatch.setattr(Transcript, "start", refuse)
    monkeypatch.setattr(host.events, "end", end_later)
    who = caller(Workspace((tmp_path,), trusted=True), host.store)
    params = LaunchParams(subagent_name="cat", goal_prompt="x")
    launching = asyncio.create_task(host.launcher.launch(params, who))
    async with asyncio.timeout(10):
        await recording.wait()
    assert (await count_runs(host.journal)).by_status["running"] == 1
    assert not host.manager.can_launch_async().allowed
    may_record.set()
    with pytest.raises(StorageError, match="no room"):
        await launching
    assert (await count_runs(host.journal)).by_status == {**COUNTS, "failed": 1}
    assert host.manager.can_launch_async().allowed


async def test_synchronous_runs_are_counted_apart_and_lost_ones_as_ended(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path / "sidecar.db")
    records = [run("running"), run("running", sync=True), run("queued")]
    for record in records:
        await journal.save(record)
    assert await count_runs(journal) == RunCounts({**COUNTS, "running": 1, "queued": 1}, 1)
    for record in records:
        journal.show(record.task.id, "failed")
    assert await count_runs(journal) == RunCounts({**COUNTS, "failed": 3}, 0)
    await journal.aclose()
