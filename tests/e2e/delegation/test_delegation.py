"""Runs that launch runs: what they see and hear of them, and what ends with them."""

import shlex

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Start
from tests.e2e.delegation.conftest import HELD, Delegating, Json, call, task
from tests.e2e.host.conftest import HostSetting
from tests.e2e.mcp.conftest import Mcp

WAIT = call("check_async_tasks", action="wait", mode="all", timeout_seconds=60)


async def test_a_run_launches_a_run_waits_for_it_and_reads_its_result(delegating: Delegating) -> None:
    editor = await delegating.attach()
    steps = [task("cat", "the result"), WAIT, call("check_async_tasks", task_id="ID1")]
    lead, (child,) = await delegating.run(editor, "lead", *steps)
    assert "the result" in lead["output"]["final_message"]
    assert (child["parentTaskId"], child["status"]) == (lead["id"], "completed")
    assert child["owner"] == lead["owner"]


async def test_a_run_continues_until_it_has_heard_of_each_end(delegating: Delegating) -> None:
    editor = await delegating.attach()
    lead_id = await editor.launch("lead", "\n".join([task("events", HELD), "say ready", "then 'say heard'"]))
    await delegating.until_printed(editor, lead_id, "ready")
    assert (await editor.task(lead_id))["status"] == "running"
    delegating.release()
    (lead,) = await editor.ended(lead_id)
    assert lead["output"]["final_message"].startswith("heard")
    assert {each["status"] for each in await delegating.tasks(editor)} == {"completed"}
    assert (await editor.request("reminders/next"))["taskIds"] == []


async def test_a_run_hears_of_a_child_that_the_model_above_it_cancelled(
    delegating: Delegating, mcp: Mcp
) -> None:
    editor = await delegating.attach()
    model = await mcp.start("--trust")
    lead_id = await model.launch("lead", "\n".join([task("wait", "x"), "say ready", "then 'say heard'"]))
    await delegating.until_printed(editor, lead_id, "ready")
    (child,) = [each for each in await delegating.tasks(editor) if each["id"] != lead_id]
    await model.call("check_async_tasks", task_id=child["id"], action="cancel")
    (lead,) = await editor.ended(lead_id)
    assert lead["output"]["final_message"].startswith("heard")


async def test_what_a_run_has_read_is_not_reported_again(delegating: Delegating) -> None:
    editor = await delegating.attach()
    lead, _ = await delegating.run(editor, "lead", task("cat", "x"), WAIT, "say done", "then 'say again'")
    assert "again" not in lead["output"]["final_message"]


@pytest.mark.parametrize("steps", [[WAIT], [], [call("task", subagent_name="cat", goal_prompt="now")]])
async def test_a_run_that_waits_lends_its_only_slot_to_its_queued_children(
    delegating: Delegating, steps: list[str]
) -> None:
    editor = await delegating.attach(asyncTasks={"max": 1, "overLimit": "queue"})
    launches = [task("cat", "one"), task("cat", "two")]
    lead, children = await delegating.run(editor, "lead", *launches, *steps)
    assert lead["status"] == "completed", lead
    assert {child["status"] for child in children} == {"completed"}
    assert len(children) == 2 + (steps not in ([WAIT], []))


async def test_a_second_launch_at_a_time_that_the_run_waits_for_needs_a_slot_of_its_own(
    delegating: Delegating,
) -> None:
    editor = await delegating.attach(asyncTasks={"max": 1})
    now = call("task", subagent_name="events", goal_prompt=HELD)
    lead_id = await editor.launch("lead", f"both {shlex.quote(now)} {shlex.quote(now)}")
    await delegating.until_printed(editor, lead_id, "Max async tasks (1) reached")
    delegating.release()
    (lead,) = await editor.ended(lead_id)
    assert "the result" in lead["output"]["final_message"]


async def test_a_child_lends_the_slot_that_it_has_borrowed(delegating: Delegating) -> None:
    editor = await delegating.attach(asyncTasks={"max": 1, "overLimit": "queue"})
    lead, others = await delegating.run(
        editor, "lead", task("lead", "\n".join([task("cat", "x"), WAIT])), WAIT
    )
    by_parent = {each.get("parentTaskId"): each for each in others}
    assert lead["id"] in by_parent
    assert by_parent[lead["id"]]["id"] in by_parent
    assert {each["status"] for each in others} == {"completed"}


async def test_a_cancelled_run_cancels_its_children_queued_ones_too(delegating: Delegating) -> None:
    editor = await delegating.attach(asyncTasks={"max": 2, "overLimit": "queue"})
    steps = [task("wait", "x"), task("wait", "y"), "say ready", "wait"]
    lead = await editor.launch("lead", "\n".join(steps))
    await delegating.until_printed(editor, lead, "ready")
    await editor.request("asyncTasks/cancel", taskId=lead)
    ids = [each["id"] for each in await delegating.tasks(editor)]
    ends = await editor.ended(*ids)
    assert [each["endReason"] for each in ends] == ["cancelledByUser"] * 3
    assert (await editor.request("reminders/next"))["taskIds"] == []


async def test_children_end_with_a_run_that_fails(delegating: Delegating) -> None:
    editor = await delegating.attach()
    lead, (child,) = await delegating.run(editor, "lead", task("wait", "x"), "fail broken")
    assert lead["status"] == "failed"
    assert (child["status"], child["endReason"]) == ("cancelled", "cancelledByModel")


async def test_the_model_gets_the_tool_that_launches_only_where_the_depth_allows(
    delegating: Delegating,
) -> None:
    editor = await delegating.attach(asyncTasks={"maxDepth": 2})
    lead, (child,) = await delegating.run(editor, "lead", "tools", task("lead", "tools"), WAIT)
    assert "tools: list_tasks task check_async_tasks" in lead["output"]["final_message"]
    assert "tools: list_tasks check_async_tasks" in child["output"]["final_message"]


async def test_by_default_a_run_launches_no_others(delegating: Delegating) -> None:
    editor = await delegating.attach(asyncTasks={"maxDepth": 1})
    lead, children = await delegating.run(editor, "lead", "tools", task("cat", "x"))
    assert "tools: list_tasks check_async_tasks" in lead["output"]["final_message"]
    assert "'task' is not a tool" in lead["output"]["final_message"]
    assert children == []


async def test_a_run_without_the_servers_line_gets_no_tools(delegating: Delegating) -> None:
    editor = await delegating.attach()
    lead, _ = await delegating.run(editor, "plain", "tools")
    assert "tools: none" in lead["output"]["final_message"]


async def test_a_run_sees_and_controls_only_its_own_children(delegating: Delegating) -> None:
    editor = await delegating.attach()
    other = await editor.launch_ready("wait")
    steps = [
        call("check_async_tasks", scope="all"),
        call("check_async_tasks", task_id=other, action="cancel"),
        call("check_async_tasks", task_id=other),
    ]
    lead, _ = await delegating.run(editor, "lead", *steps)
    text = lead["output"]["final_message"]
    assert "No async tasks" in text
    assert text.count("No async task found with ID or prefix") == 2, text
    assert (await editor.task(other))["status"] == "running"


async def test_a_command_cannot_have_the_tools(delegating: Delegating) -> None:
    editor = await delegating.attach()
    delegating.define("bad", "mcpServers: [sidecar]", runner="cat")
    with pytest.raises(RpcError, match="a command does not support MCP servers"):
        await editor.launch("bad")


async def test_a_host_without_a_socket_refuses_the_tools(start: Start, delegating: Delegating) -> None:
    sidecar = await start()
    delegating.define("alone", "mcpServers: [sidecar]", runner="cat2")
    with pytest.raises(RpcError, match="omit --in-process"):
        settings: Json = {"runners": {"cat2": {"type": "acp", "command": ["cat"]}}}
        await sidecar.request("settings/update", settings=settings)
        await sidecar.launch("alone")


async def test_the_list_of_definitions_shows_the_servers(delegating: Delegating) -> None:
    editor = await delegating.attach()
    items: list[Json] = (await editor.request("subagents/list"))["items"]
    assert {each["name"]: each.get("mcpServers") for each in items}["lead"] == ["sidecar"]


async def test_the_token_dies_with_the_run_and_is_not_recorded(
    delegating: Delegating, shared: HostSetting
) -> None:
    editor = await delegating.attach()
    lead, _ = await delegating.run(editor, "lead", "tools", "token")
    token = lead["output"]["final_message"].rpartition("token: ")[2].strip()
    assert len(token) > 30
    environment = {"SUBAGENT_SIDECAR_RUN_TOKEN": token}
    code, _, err = await delegating.serve_with(environment)
    assert (code, "the run of this token has ended" in err) == (2, True)
    code, _, err = await delegating.serve_with({"SUBAGENT_SIDECAR_RUN_TOKEN": lead["id"]})
    assert code == 2, err


async def test_a_server_of_the_agents_own_configuration_launches_nothing_from_within_a_run(
    delegating: Delegating, mcp: Mcp
) -> None:
    editor = await delegating.attach()
    task_id = await editor.launch_ready("wait")
    mcp.setting.environment["SUBAGENT_SIDECAR_TASK"] = task_id
    model = await mcp.start()
    launch = {"subagent_name": "cat", "goal_prompt": "x", "async": True}
    assert "may not launch others" in (await model.call("task", **launch))["content"][0]["text"]
    assert len(await delegating.tasks(editor)) == 1


async def test_such_a_server_takes_no_reminder_of_the_model_that_launched_and_cancels_nothing(
    delegating: Delegating, mcp: Mcp
) -> None:
    await delegating.attach()
    launching = await mcp.start("--trust")
    run, sibling = await launching.launch("wait"), await launching.launch("events", HELD)
    mcp.setting.environment["SUBAGENT_SIDECAR_TASK"] = run
    inner = await mcp.start()
    cancel = await inner.call("check_async_tasks", action="cancel", task_id=sibling, scope="all")
    assert "No async task found" in cancel["content"][0]["text"]
    mcp.release()
    editor = await delegating.attach()
    (ended,) = await editor.ended(sibling)
    assert ended["status"] == "completed"
    for _ in range(2):
        assert "reminder" not in (await inner.call("list_tasks"))["structuredContent"]
    reminder = (await launching.call("list_tasks"))["structuredContent"]["reminder"]
    assert reminder["taskIds"] == [sibling]


async def test_a_model_of_the_workspace_sees_the_children_of_a_run_but_is_not_notified_of_them(
    delegating: Delegating, mcp: Mcp
) -> None:
    editor = await delegating.attach()
    model = await mcp.start("--trust")
    lead = await editor.launch("lead", "\n".join([task("cat", "x"), WAIT, "say ready", "wait"]))
    await delegating.until_printed(editor, lead, "ready")
    blocks = (await model.call("check_async_tasks"))["content"]
    assert "Completed: 1" in blocks[0]["text"]
    assert len(blocks) == 1


async def test_a_child_gets_no_wider_policy_than_its_parent(delegating: Delegating) -> None:
    editor = await delegating.attach(permissions={"default": "allowAll", "unattended": "deny"})
    delegating.define("lead", "mcpServers: [sidecar]", "permissions: deny")
    delegating.define("writer", "permissions: allowAll")
    steps = [task("writer", "write out.txt text"), WAIT, task("cat", "x")]
    lead, (child,) = await delegating.run(editor, "lead", *steps)
    assert not (delegating.setting.home / "workspace" / "out.txt").exists()
    assert "does not ask before it acts" in lead["output"]["final_message"]
    events = (await editor.request("asyncTasks/events", taskId=child["id"]))["events"]
    assert any("limited to deny" in event.get("text", "") for event in events)


async def test_a_child_gets_no_tool_that_its_parent_has_not(delegating: Delegating) -> None:
    editor = await delegating.attach()
    delegating.define("lead", "mcpServers: [sidecar]", "tools: read")
    steps = [task("plain", "write out.txt text"), WAIT]
    _, (child,) = await delegating.run(editor, "lead", *steps)
    assert "this run may use only these tools: read" in child["output"]["final_message"]
