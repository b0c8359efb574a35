"""A Host without clients: what its services have in common."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import NotTrusted, StorageError, TaskNotFound
from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.clients.toolbox import Toolbox
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace
from sidecar.app.outbound.changes import Listener
from sidecar.app.roots import WantedRoots
from sidecar.app.settings import SettingsStore
from sidecar.subagents.runners.process import child
from sidecar.subagents.runners.process.marker import find
from tests.app.callers import caller

RUNNERS = {
    "cat": {"type": "command", "command": ["cat"]},
    "wait": {"type": "command", "command": ["sleep", "60"]},
    # A stop signals the group of the second only; the first is in a session of its own.
    "leave": {"type": "command", "command": ["sh", "-c", "setsid sleep 60 & exec sleep 60"]},
}
SETTINGS: dict[str, Any] = {"asyncTasks": {"max": 1}, "runners": RUNNERS}


class Heard(Listener):
    """Keeps what a Host reports."""

    def __init__(self) -> None:
        self.tasks: list[AsyncTask] = []
        self.removed: list[str] = []

    def run_changed(self, task: AsyncTask) -> None:
        self.tasks.append(task)

    def runs_removed(self, task_ids: list[str]) -> None:
        self.removed += task_ids


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace((tmp_path,), trusted=True)


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Host]:
    agents = tmp_path / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    for name in RUNNERS:
        (agents / f"{name}.md").write_text(f"---\nname: {name}\ndescription: x.\nrunner: {name}\n---\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    host = await Host.open(tmp_path / "root", SettingsStore(SETTINGS))
    yield host
    await host.aclose()


def toolbox_of(host: Host, workspace: Workspace) -> Toolbox:
    stored = host.views.enter(WantedRoots(host.root.path))

    def require_trust() -> None:
        if not workspace.trusted:
            raise NotTrusted("the workspace is not trusted")

    return Toolbox(
        host,
        lambda: caller(workspace, host.store),
        lambda: stored.history,
        require_trust=require_trust,
        sees=lambda task_id: True,
    )


def launch(name: str, **given: Any) -> LaunchParams:
    return LaunchParams(subagent_name=name, goal_prompt="say this", **given)


async def test_a_run_is_reported_from_its_launch_to_its_end(host: Host, workspace: Workspace) -> None:
    heard = Heard()
    stop = host.changes.listen(heard)
    record = await host.launcher.launch(launch("cat"), caller(workspace, host.store))
    await host.registry.settled(record.task.id)
    stop()
    assert (heard.tasks[0].status, heard.tasks[-1].status) == ("running", "completed")
    assert host.changes.revision >= 2
    ended = await host.registry.resolve(record.task.id[:8])
    assert (ended.task.output or {})["final_message"].strip() == "say this"


async def test_raising_the_limit_starts_what_is_queued(host: Host, workspace: Workspace) -> None:
    first = await host.launcher.launch(launch("wait"), caller(workspace, host.store))
    second = await host.launcher.launch(launch("cat", over_limit="queue"), caller(workspace, host.store))
    assert (second.task.status, len(host.admission)) == ("queued", 1)
    host.update_settings({"asyncTasks": {"max": 2}})
    await host.registry.settled(second.task.id)
    assert (await host.registry.resolve(second.task.id)).task.status == "completed"
    assert await host.control.cancel_all("user") == 1
    assert (await host.registry.resolve(first.task.id)).task.status == "cancelled"


async def test_changed_runners_are_those_of_the_next_launch(host: Host, workspace: Workspace) -> None:
    host.update_settings({"runners": {"cat": {"type": "command", "command": ["echo", "changed"]}}})
    record = await host.launcher.launch(launch("cat"), caller(workspace, host.store))
    await host.registry.settled(record.task.id)
    output = (await host.registry.resolve(record.task.id)).task.output or {}
    assert output["final_message"].startswith("changed")


async def test_a_second_host_of_a_root_only_reads(host: Host, tmp_path: Path) -> None:
    reader = await Host.open(tmp_path / "root", SettingsStore(SETTINGS))
    with pytest.raises(StorageError, match="root in use by pid"):
        reader.require_ownership()
    await reader.aclose()
    host.require_ownership()


async def test_a_host_too_busy_to_stop_a_run_in_time_leaves_none_of_its_processes(
    host: Host, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def starved(_: object) -> tuple[int, ...]:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(child, "_in_thread", starved)  # the threads that sweep do not get to run
    record = await host.launcher.launch(launch("leave"), caller(workspace, host.store))
    async with asyncio.timeout(20):
        while len(find([record.task.id])) < 2:
            await asyncio.sleep(0.02)
    await host.end_runs()
    assert find([record.task.id]) == []


async def test_the_tool_of_the_model_launches_as_clients_do(host: Host, workspace: Workspace) -> None:
    host.update_settings({"asyncTasks": {"overLimit": "queue"}})
    toolbox = toolbox_of(host, workspace)
    arguments = {"subagent_name": "cat", "goal_prompt": "say this"}
    done = await toolbox.call("task", arguments)
    assert (done.error, (done.metadata or {})["effectiveTimeoutSeconds"]) == (None, 900)
    running = await toolbox.call("task", {**arguments, "subagent_name": "wait", "async": True})
    assert (running.metadata or {})["status"] == "running"
    queued = await toolbox.call("task", {**arguments, "async": True})
    assert (queued.metadata or {})["status"] == "queued"
    refused = await toolbox.call("task", {**arguments, "max_turns": 3})
    assert refused.error is not None
    assert refused.error.message.startswith("Invalid max_turns: runner 'cat' does not support it: ")


async def test_without_trust_the_tool_launches_nothing(host: Host, tmp_path: Path) -> None:
    toolbox = toolbox_of(host, Workspace((tmp_path,)))
    refused = await toolbox.call("task", {"subagent_name": "cat", "goal_prompt": "x"})
    assert refused.error is not None
    assert (refused.error.type, host.registry.with_status("running")) == ("EXECUTION_FAILED", [])


async def test_a_deleted_run_leaves_the_journal_and_a_restored_one_stays_a_stored_task(
    host: Host, workspace: Workspace
) -> None:
    record = await host.launcher.launch(launch("cat"), caller(workspace, host.store))
    task_id = record.task.id
    await host.registry.settled(task_id)
    heard = Heard()
    host.changes.listen(heard)
    result = await host.move_tasks("delete", [task_id])
    assert (result.done, result.failed) == ([task_id], [])
    assert heard.removed == [task_id]
    assert (await host.journal.list()).records == []
    assert (await host.events.read(task_id)).events == []
    with pytest.raises(TaskNotFound):
        await host.registry.resolve(task_id)
    assert (await host.move_tasks("restore", [task_id])).done == [task_id]
    assert (host.root.tasks / task_id).is_dir()


async def test_deleting_a_result_that_the_model_waits_for_keeps_it_until_it_is_delivered(
    host: Host, workspace: Workspace
) -> None:
    given = launch("cat", notify_model=True)
    record = await host.launcher.launch(given, caller(workspace, host.store))
    await host.registry.settled(record.task.id)
    heard = Heard()
    host.changes.listen(heard)
    await host.move_tasks("delete", [record.task.id])
    assert heard.removed == []
    assert [each.task.id for each in await host.journal.undelivered()] == [record.task.id]
    assert list(host.reminders.outbox.next().task_ids) == [record.task.id]
