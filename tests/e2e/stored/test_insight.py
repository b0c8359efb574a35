"""The requests over all stored tasks, against a real process."""

import json
from pathlib import Path

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import Sidecar, Start
from tests.generator import ERAS, Task, generate

ONE_TOOL = json.dumps(
    [{"ts": 1, "type": "say", "say": "tool", "text": json.dumps({"tool": "readFile", "path": "other.py"})}]
)


@pytest.fixture
def tasks(home: Path) -> list[Task]:
    return generate(home / "foreign", ERAS[3], 9)


@pytest.fixture
async def listed(start: Start, tasks: list[Task], home: Path) -> Sidecar:
    return await start(foreignRoots=[str(home / "foreign")])


async def test_a_list_takes_a_query_and_its_cursor_is_bound_to_it(listed: Sidecar) -> None:
    first = await listed.request("tasks/list", query="-status:failed", limit=2)
    assert first["total"] == 9 and first["matched"] < 9
    again = await listed.request("tasks/list", query="-status:failed", limit=9, cursor=first["nextCursor"])
    assert len(first["items"]) + len(again["items"]) == first["matched"]
    with pytest.raises(RpcError, match="another query"):
        await listed.request("tasks/list", query="status:failed", cursor=first["nextCursor"])


async def test_an_error_in_a_query_has_its_position(listed: Sidecar) -> None:
    for method in ("tasks/list", "tasks/stats"):
        with pytest.raises(RpcError) as caught:
            await listed.request(method, query="login (")
        assert caught.value.code == -32602
        assert caught.value.data == {"position": 7, "expected": "a term"}


async def test_stats_agree_with_the_list(listed: Sidecar) -> None:
    items = (await listed.request("tasks/list"))["items"]
    stats = await listed.request("tasks/stats", disk=True)
    cost = sum(item["tokenUsage"]["cost"] for item in items if "tokenUsage" in item)
    assert stats["totals"]["cost"] == pytest.approx(cost) and stats["matched"] == len(items)
    assert sum(group["totals"]["tasks"] for group in stats["groups"]["mode"]) == len(items)
    assert stats["disk"]["taskBytes"] == 0  # the own root is empty; the foreign one is not measured


async def test_files_lead_to_tasks_and_back(listed: Sidecar, tasks: list[Task]) -> None:
    found = await listed.request("tasks/byFile", path="src/a.py")
    assert 0 < found["matched"] < 9
    files = await listed.request("tasks/files", taskId=found["items"][0]["taskId"])
    assert [file["path"] for file in files["files"]] == ["src/a.py"]
    by_query = await listed.request("tasks/list", query="file:src/a.py")
    assert by_query["matched"] == found["matched"]


async def test_search_finds_messages_and_leaves_no_process(listed: Sidecar, tasks: list[Task]) -> None:
    found = await listed.request("tasks/search", text="flaky login")
    expected = {task.id for task in tasks if task.truth["title"].startswith("Fix the flaky")}
    assert {hit["taskId"] for hit in found["hits"]} == expected
    assert found["indexed"] == found["total"] == 9
    assert await listed.shut_down() == 0


async def test_search_can_be_turned_off(start: Start) -> None:
    sidecar = await start(settings={"history": {"search": False}})
    with pytest.raises(RpcError, match=r"history\.search"):
        await sidecar.request("tasks/search", text="x")


async def test_a_task_is_exported_and_examined(listed: Sidecar, tasks: list[Task]) -> None:
    exported = await listed.request("tasks/export", taskId=tasks[0].id, format="json", redact=True)
    assert json.loads(exported["text"])["task"]["id"] == tasks[0].id
    assert isinstance(exported["redactions"], list)
    report = await listed.request("history/doctor")
    assert [root["tasks"] for root in report["roots"]] == [0, 9] and report["findings"] == []


async def test_of_an_id_in_two_roots_each_task_is_opened_by_its_own_root(
    start: Start, tasks: list[Task], home: Path
) -> None:
    task_id = tasks[0].id
    generate(home / "other", ERAS[3], 9)
    assert (home / "other" / "tasks" / task_id).is_dir()
    (home / "other" / "tasks" / task_id / "ui_messages.json").write_text(ONE_TOOL)
    sidecar = await start(foreignRoots=[str(home / "foreign"), str(home / "other")])
    rows = (await sidecar.request("tasks/list"))["items"]
    roots = sorted(row["root"] for row in rows if row["id"] == task_id)
    assert roots == [str(home / "foreign"), str(home / "other")]
    named = {"taskId": task_id, "root": roots[1]}
    assert (await sidecar.request("tasks/get", **named))["task"]["root"] == roots[1]
    assert (await sidecar.request("tasks/messages", **named))["total"] == 1
    assert (await sidecar.request("tasks/files", **named))["files"][0]["path"] == "other.py"
    exported = await sidecar.request("tasks/export", **named, format="json")
    assert json.loads(exported["text"])["task"]["root"] == roots[1]
    assert (await sidecar.request("tasks/get", taskId=task_id))["task"]["root"] == roots[0]
    for method in ("tasks/get", "tasks/messages", "tasks/files"):
        with pytest.raises(RpcError, match="nowhere is not a root of this server; name it"):
            await sidecar.request(method, taskId=task_id, root="/nowhere")


async def test_the_own_roots_tasks_are_removed_and_the_list_follows(listed: Sidecar) -> None:
    task_id = await listed.launch("cat", "say this")
    await listed.ended(task_id)
    deleted = await listed.request("tasks/delete", taskIds=[task_id, "nope"])
    assert (deleted["done"], deleted["failed"][0]["code"]) == ([task_id], -32010)
    assert (listed.root / "trash" / task_id).is_dir()
    assert (await listed.request("tasks/list", query="product:sidecar"))["matched"] == 0
    away = await listed.request("tasks/listRemoved")
    assert (await listed.request("tasks/putAway"))["items"] == away["items"]
    assert [(each["title"], each["shelf"]) for each in away["items"]] == [("say this", "trash")]
    assert (await listed.request("tasks/restore", taskIds=[task_id]))["done"] == [task_id]
    assert (await listed.request("tasks/get", taskId=task_id))["task"]["status"] == "completed"


async def test_a_running_or_foreign_task_stays(listed: Sidecar, tasks: list[Task]) -> None:
    task_id = await listed.launch_ready("wait")
    result = await listed.request("tasks/delete", taskIds=[task_id, tasks[0].id])
    assert [failed["code"] for failed in result["failed"]] == [-32017, -32018]
    assert tasks[0].folder.is_dir()
    await listed.request("asyncTasks/cancel", taskId=task_id)


async def test_the_doctor_names_the_stores_that_are_found_and_listed(start: Start, home: Path) -> None:
    store = home / "config" / "Code" / "User" / "globalStorage" / "rooveterinaryinc.roo-cline"
    generate(store, ERAS[3], 2)
    session = home / ".cline" / "data" / "sessions" / "1770000000000_abcde"
    session.mkdir(parents=True)
    (session / "1770000000000_abcde.json").write_text("{}")
    sidecar = await start(settings={"history": {"autoDiscover": True}})
    report = await sidecar.request("history/doctor")
    found = {str(store), str(session.parent.parent)}
    assert {root["path"] for root in report["roots"]} == {str(home / "root"), *found}
    assert {place["path"] for place in report["searched"] if place["found"]} == found
    listed = await sidecar.request("tasks/list")
    assert listed["matched"] == 2  # the session has no message
