"""The files that a run changed, from a real run through its stored task."""

import json

import pytest

from tests.e2e.conftest import Sidecar


def edit(path: str, status: str, old: str, new: str) -> str:
    content = [{"type": "diff", "path": path, "oldText": old, "newText": new}]
    call = {"type": "tool", "name": "edit", "toolCallId": path, "status": status, "content": content}
    return f"printf '%s\\n' '{json.dumps(call)}'"


@pytest.mark.parametrize(
    ("end", "status"), [("true", "completed"), ("exit 3", "failed"), ("exec sleep 600", "cancelled")]
)
async def test_a_run_leads_to_its_files_and_back(sidecar: Sidecar, end: str, status: str) -> None:
    path = str(sidecar.workspace / "src" / "a.py")
    calls = [edit(path, "completed", "1", "1\n2\n3"), edit("b.py", "failed", "", "1")]
    task_id = await sidecar.launch("events", "; ".join([*calls, "echo ready", end]))
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: "ready" in sidecar.text(task_id))
    if status == "cancelled":
        await sidecar.request("asyncTasks/cancel", taskId=task_id)
    (task,) = await sidecar.ended(task_id)
    assert task["status"] == status
    (file,) = (await sidecar.request("tasks/files", taskId=task_id))["files"]
    assert isinstance(file.pop("lastAt"), int)
    assert file == {"path": "src/a.py", "actions": ["edited"], "additions": 2, "deletions": 0}
    (found,) = (await sidecar.request("tasks/byFile", path=path))["items"]
    assert (found["taskId"], found["file"]["additions"]) == (task_id, 2)
    stored = (await sidecar.request("tasks/get", taskId=task_id))["task"]
    assert stored["outcome"] == status
