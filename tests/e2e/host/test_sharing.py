"""Several clients of one Host: what they share, and what is each one's own."""

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.host.conftest import HostSetting

NOT_TRUSTED, INVALID_STATE = -32015, -32017


async def test_clients_share_one_host_and_see_the_same_tasks(shared: HostSetting) -> None:
    one, two = await shared.attach("one"), await shared.attach("two")
    task_id = await one.launch_ready("wait")
    assert one.instance == two.instance
    await two.until(lambda: any(task["id"] == task_id for task in two.changes))
    seen = await two.task(task_id)
    assert seen["status"] == "running"
    assert seen["owner"] == {"client": "one", "workspaceDir": str((shared.home / "workspace").resolve())}
    assert (await two.request("asyncTasks/cancel", taskId=task_id))["cancelled"]
    assert (await one.task(task_id))["endReason"] == "cancelledByUser"


async def test_a_run_inherits_the_environment_of_the_client_that_launched_it(shared: HostSetting) -> None:
    shared.configure(host={"idleSeconds": 0.2})
    (shared.home / "config" / "subagent-sidecar" / "agents" / "who.md").write_text(
        "---\nname: who\ndescription: x.\nrunner: who\n---\n"
    )
    config = shared.home / "config" / "subagent-sidecar" / "config.toml"
    config.write_text(
        config.read_text() + '\n[runners.who]\ntype = "command"\ncommand = ["sh", "-c", "echo I am $WHO"]\n'
    )
    one, two = await shared.attach(env={"WHO": "one"}), await shared.attach(env={"WHO": "two"})
    ids = [await client.launch("who") for client in (one, two, one)]
    ended = await one.ended(*ids)
    assert [task["output"]["final_message"] for task in ended] == ["I am one", "I am two", "I am one"]
    again = await two.request("asyncTasks/resume", taskId=ids[0])
    assert (await two.ended(again["task"]["id"]))[0]["output"]["final_message"] == "I am two"


async def test_trust_is_each_clients_own(shared: HostSetting) -> None:
    trusted, stranger = await shared.attach(), await shared.attach(workspaceTrusted=False)
    task_id = await trusted.launch_ready("wait")
    refused_calls: dict[str, dict[str, object]] = {
        "asyncTasks/launch": {"subagentName": "cat", "goalPrompt": "x"},
        "asyncTasks/send": {"taskId": task_id, "text": "x"},
        "asyncTasks/startNow": {"taskId": task_id},
        "asyncTasks/setMax": {"max": 50},
        "asyncTasks/cancelAll": {"scope": "all"},
    }
    for method, params in refused_calls.items():
        with pytest.raises(RpcError) as refused:
            await stranger.request(method, **params)
        assert refused.value.code == NOT_TRUSTED
    assert (await stranger.task(task_id))["status"] == "running"


async def test_settings_that_concern_the_host_are_ignored_in_initialize_and_changed_by_update(
    shared: HostSetting,
) -> None:
    one, two = await shared.spawn(), await shared.attach()
    reported: list[object] = []
    one.client.on_notification("settings/didChange", reported.append)
    echo: list[object] = []
    two.client.on_notification("settings/didChange", echo.append)
    answer = await one.initialize(settings={"asyncTasks": {"max": 1}, "budget": {"perDayCost": 1}})
    assert sorted(answer["ignoredSettings"]) == ["asyncTasks.max", "budget"]
    assert (await one.request("asyncTasks/list"))["max"] == 5
    await two.request("settings/update", settings={"asyncTasks": {"max": 2}, "tools": {"maxChars": 99}})
    assert (await one.request("asyncTasks/list"))["max"] == 2
    assert reported == [{"settings": {"asyncTasks": {"max": 2}}}]
    assert echo == []


async def test_cancel_all_reaches_the_own_workspace_only(shared: HostSetting) -> None:
    elsewhere = shared.home / "elsewhere"
    elsewhere.mkdir()
    here, there = await shared.attach(), await shared.attach(workspaceFolders=[str(elsewhere)])
    own, other = await here.launch_ready("wait"), await there.launch_ready("wait")
    assert (await there.request("asyncTasks/cancelAll"))["cancelled"] == 1
    assert (await here.task(own))["status"] == "running"
    assert (await here.task(other))["status"] == "cancelled"
    assert (await there.request("asyncTasks/cancelAll", scope="all"))["cancelled"] == 1
    assert (await here.task(own))["status"] == "cancelled"


async def test_shutdown_cancels_only_the_runs_of_that_client(shared: HostSetting) -> None:
    one, two = await shared.attach(), await shared.attach()
    kept, cancelled = await one.launch_ready("wait"), await two.launch_ready("wait")
    await two.request("shutdown", cancelRunning=True)
    await two.client.notify("exit")
    assert await two.client.wait(5) == 0
    assert (await one.task(cancelled))["status"] == "cancelled"
    assert (await one.task(kept))["status"] == "running"
    await one.request("asyncTasks/cancelAll")


async def test_a_queued_run_can_be_started_over_the_limit_once(shared: HostSetting) -> None:
    client = await shared.attach()
    await client.request("asyncTasks/setMax", max=1)
    first = await client.launch_ready("wait")
    second = await client.launch("wait", overLimit="queue")
    third = await client.launch("cat", overLimit="queue")
    assert (await client.request("asyncTasks/startNow", taskId=second))["task"]["status"] == "running"
    page = await client.request("asyncTasks/events", taskId=second)
    assert any("started over the limit" in event.get("text", "") for event in page["events"])
    with pytest.raises(RpcError) as refused:
        await client.request("asyncTasks/startNow", taskId=second)
    assert refused.value.code == INVALID_STATE
    await client.request("asyncTasks/cancel", taskId=first)
    assert (await client.task(third))["status"] == "queued"
    await client.request("asyncTasks/cancel", taskId=second)
    assert (await client.ended(third))[0]["status"] == "completed"


async def test_a_reminder_reaches_the_workspace_that_launched_and_only_once(shared: HostSetting) -> None:
    elsewhere = shared.home / "elsewhere"
    elsewhere.mkdir()
    one, other = await shared.attach(), await shared.attach(workspaceFolders=[str(elsewhere)])
    task_id = await one.launch("cat", notifyModel=True)
    await one.ended(task_id)
    assert (await other.request("reminders/next"))["taskIds"] == []
    first = await one.request("reminders/next")
    assert first["taskIds"] == [task_id]
    again = await shared.attach()
    assert (await again.request("reminders/next"))["taskIds"] == [], "another client holds it"
    await one.client.close()
    held = await again.request("reminders/next")
    assert held["taskIds"] == [task_id], "the first client left without an acknowledgment"
    await again.request("reminders/delivered", deliveryId=held["deliveryId"])
    assert (await again.request("reminders/next"))["taskIds"] == []
