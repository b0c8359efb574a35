"""Two clients of one Host: what they share, and what each has for itself."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.errors import InvalidParams, NotTrusted
from sidecar.api.lifecycle import ClientInfo, InitializeParams
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.clients.session import Session
from sidecar.app.host import Host
from sidecar.app.launching.run_selection import RunSelection
from sidecar.app.settings import SettingsStore
from sidecar.host.shared import SharedHost
from sidecar.rpc.connection import Connection

RUNNERS = {"wait": {"type": "command", "command": ["sleep", "60"]}}


class Sent:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, Any]] = []

    def notify(self, method: str, message: Any, coalesce: object = None) -> None:
        self.notified.append((method, message))

    async def notify_paced(self, method: str, message: Any) -> None:
        self.notified.append((method, message))

    async def request(self, method: str, params: Any, *, timeout: float) -> Any:
        raise TimeoutError

    def of(self, method: str) -> list[Any]:
        return [message for name, message in self.notified if name == method]


class Office:
    """A Host and the clients that attach to it."""

    def __init__(self, host: Host, folder: Path) -> None:
        self.host, self.folder = host, folder
        self.sessions: list[Session] = []

    async def attach(
        self, workspace: str | None = "orders", *, trusted: bool = True, **given: Any
    ) -> tuple[Session, Sent]:
        session, sent = Session(SharedHost(self.host), None, {}, 0), Sent()
        session.connection = cast(Connection, sent)
        folders = [] if workspace is None else [str(self.folder / workspace)]
        params = InitializeParams(
            protocol_version=1,
            workspace_folders=folders,
            workspace_trusted=trusted,
            **{"client_info": ClientInfo(name="editor", version="1"), **given},
        )
        await session.open(params, self.host.root.path)
        self.sessions.append(session)
        return session, sent

    async def launch(self, session: Session, **given: Any) -> str:
        params = LaunchParams(subagent_name="wait", goal_prompt="x", **given)
        return (await self.host.launcher.launch(params, session.caller)).task.id

    def running(self) -> set[str]:
        return {run.record.task.id for run in self.host.registry.with_status("running")}


@pytest.fixture
async def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Office]:
    agents = tmp_path / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    (agents / "wait.md").write_text("---\nname: wait\ndescription: x.\nrunner: wait\n---\n")
    for name in ("orders", "billing", "roo"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    host = await Host.open(tmp_path / "root", SettingsStore({"runners": RUNNERS}))
    office = Office(host, tmp_path)
    yield office
    for session in office.sessions:
        await session.aclose()
    await host.aclose()


async def test_a_setting_of_the_host_reaches_the_others_only(office: Office) -> None:
    (first, to_first), (second, to_second) = await office.attach(), await office.attach("billing")
    first.update_settings({"asyncTasks": {"max": 9, "overLimit": "queue"}})
    assert [each.settings for each in to_second.of("settings/didChange")] == [{"asyncTasks": {"max": 9}}]
    assert to_first.of("settings/didChange") == []
    assert office.host.manager.max_async_tasks == 9
    limits = [each.settings.current.async_tasks for each in (first, second)]
    assert [(each.max, each.over_limit) for each in limits] == [(9, "queue"), (9, "reject")]


async def test_a_setting_of_the_host_that_is_taken_back_has_the_value_of_its_file(office: Office) -> None:
    (first, _), (second, to_second) = await office.attach(), await office.attach("billing")
    first.update_settings(
        {"asyncTasks": {"max": 9}, "runners": {"more": {"type": "command", "command": ["true"]}}}
    )
    first.update_settings({"asyncTasks": {"max": None}, "runners": {"more": None}})
    assert to_second.of("settings/didChange")[-1].settings == {
        "asyncTasks": {"max": None},
        "runners": {"more": None},
    }
    assert office.host.manager.max_async_tasks == 5
    assert "wait" in second.context.runners.current
    assert "more" not in second.context.runners.current


async def test_settings_for_all_wait_until_their_client_is_trusted(office: Office) -> None:
    trusted, _ = await office.attach()
    other, to_other = await office.attach("billing", trusted=False)
    before = trusted.settings.current.runners["wait"]
    theirs = {"wait": {"type": "command", "command": ["theirs"]}}
    other.update_settings({"runners": theirs, "reminders": {"detail": "summary"}})
    assert trusted.settings.current.runners["wait"] == before
    assert other.settings.current.reminders.detail == "summary"
    [warning] = to_other.of("log")
    assert (warning.level, "settings/update: runners:" in warning.message) == ("warning", True)
    other.grant_trust()
    assert trusted.settings.current.runners["wait"].command == ["theirs"]


async def test_a_wrong_setting_of_an_untrusted_client_is_refused_at_once(office: Office) -> None:
    other, _ = await office.attach("billing", trusted=False)
    with pytest.raises(InvalidParams):
        other.update_settings({"asyncTasks": {"max": "many"}})
    other.grant_trust()
    assert office.host.settings.async_tasks.max == 5


async def test_a_clients_own_setting_does_not_affect_others(office: Office) -> None:
    (first, _), (second, to_second) = await office.attach(), await office.attach()
    before = second.settings.current
    first.update_settings({"reminders": {"detail": "summary"}})
    assert to_second.of("settings/didChange") == []
    assert second.settings.current == before


async def test_a_wrong_update_changes_neither_the_client_nor_the_host(office: Office) -> None:
    (first, _), (_, to_second) = await office.attach(), await office.attach()
    before, of_host = first.settings.current, office.host.settings
    with pytest.raises(InvalidParams):
        first.update_settings({"reminders": {"detail": "summary"}, "asyncTasks": {"max": "many"}})
    assert (first.settings.current, office.host.settings) == (before, of_host)
    assert to_second.of("settings/didChange") == []


async def test_settings_of_the_host_in_initialize_are_named_and_not_applied(office: Office) -> None:
    sent = {"asyncTasks": {"max": 1, "overLimit": "queue"}, "budget": {"perDayCost": 1}}
    session, _ = await office.attach(settings=sent)
    assert session.ignored_settings(sent) == ["asyncTasks.max", "budget"]
    assert session.ignored_settings({"reminders": {"detail": "full"}}) is None
    limits = session.settings.current.async_tasks
    assert (limits.max, limits.over_limit) == (office.host.settings.async_tasks.max, "queue")


async def test_a_runner_that_one_client_adds_serves_both(office: Office) -> None:
    (first, _), (second, _) = await office.attach(), await office.attach("billing")
    first.update_settings({"runners": {"more": {"type": "command", "command": ["true"]}}})
    assert "more" in first.context.runners.current and "more" in second.context.runners.current


async def test_trust_is_each_clients_own(office: Office) -> None:
    (first, _), (second, _) = await office.attach(), await office.attach(trusted=False)
    first.require_trust()
    with pytest.raises(NotTrusted):
        second.require_trust()
    second.grant_trust()
    second.require_trust()


async def test_both_see_a_run_and_who_launched_it(office: Office) -> None:
    (first, to_first), (_, to_second) = await office.attach(), await office.attach("billing")
    run = await office.launch(first)
    for sent in (to_first, to_second):
        task = sent.of("asyncTasks/didChange")[0].task
        assert (task.id, task.owner.client) == (run, "editor")
        assert task.owner.workspace_dir == str((office.folder / "orders").resolve())
    revisions = [sent.of("asyncTasks/didChange")[-1].revision for sent in (to_first, to_second)]
    assert revisions[0] == revisions[1]


@pytest.mark.parametrize("info", [None, ClientInfo(name=" ")])
async def test_a_client_without_a_name_is_called_unnamed(office: Office, info: ClientInfo | None) -> None:
    session, sent = await office.attach(client_info=info)
    await office.launch(session)
    assert sent.of("asyncTasks/didChange")[0].task.owner.client == "unnamed client"


async def test_cancelling_the_own_runs_spares_those_of_other_workspaces(office: Office) -> None:
    (orders, _), (again, _) = await office.attach(), await office.attach()
    (billing, _), (alone, _) = await office.attach("billing"), await office.attach(None)
    runs = [await office.launch(each) for each in (orders, again, billing)]
    folder = str(office.folder / "billing")
    runs.append(await office.launch(alone, workspace_dir=folder))
    cancel = office.host.control.cancel_all
    assert await cancel("user", selection=alone.caller.selection()) == 1
    assert office.running() == set(runs[:3])
    assert await cancel("user", selection=orders.caller.selection()) == 2
    assert office.running() == {runs[2]}
    assert await cancel("user") == 1


async def test_a_client_that_shuts_down_cancels_its_own_runs_if_it_asks_for_that(office: Office) -> None:
    (first, _), (second, _), (third, _) = [await office.attach() for _ in range(3)]
    runs = [await office.launch(each) for each in (first, second, third)]
    await first.shut_down(cancel_running=True)
    assert office.running() == set(runs[1:])
    await second.shut_down(cancel_running=False)
    assert office.running() == set(runs[1:])
    office.host.require_ownership()
    selection = RunSelection(client_id=third.context.id)
    assert await office.host.control.cancel_all("user", selection=selection) == 1


async def test_a_client_that_left_is_notified_of_nothing(office: Office) -> None:
    (first, _), (second, to_second) = await office.attach(), await office.attach()
    await second.aclose()
    to_second.notified.clear()
    await office.launch(first)
    first.update_settings({"asyncTasks": {"max": 4}})
    assert to_second.notified == []


async def test_another_root_than_that_of_the_host_is_refused(office: Office) -> None:
    session = Session(SharedHost(office.host), None, {}, 0)
    session.connection = cast(Connection, Sent())
    with pytest.raises(InvalidParams, match=r"storageRoot: .* is not the root of this Host"):
        await session.open(InitializeParams(protocol_version=1), office.folder)
    (office.folder / "link").symlink_to(office.host.root.path)
    await session.open(InitializeParams(protocol_version=1), office.folder / "link")
    office.sessions.append(session)


async def test_clients_of_the_same_roots_share_a_history(office: Office) -> None:
    (first, _), (second, _) = await office.attach(), await office.attach("billing")
    foreign, _ = await office.attach(foreign_roots=[str(office.folder / "roo")])
    assert first.history is second.history
    assert foreign.history is not first.history
    second.update_settings({"history": {"foreignRoots": [str(office.folder / "roo")]}})
    assert second.stored.roots == foreign.stored.roots
    assert first.stored.roots != second.stored.roots
    await foreign.aclose()
    assert second.history.list() == []
    await first.aclose()
    await second.aclose()
    assert office.host.views.history.list() == []
    later, _ = await office.attach()
    async with asyncio.timeout(20):
        await later.refresh_history()
