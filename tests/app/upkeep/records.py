"""Records of runs, as they are in the journal."""

from typing import Any

from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal.records import RunRecord


def record(**members: Any) -> RunRecord:
    """Return the record of a running task; `members` replace those of the task."""
    task = AsyncTask(
        subagent_name="scout",
        goal_prompt="look",
        progress=Progress(last_activity_at=1_000),
        runner="r",
        workspace_dir="/w",
        **{"id": new_task_id(), "status": "running", "launched_at": 1_000, **members},
    )
    return RunRecord(task=task, origin="client", request={})
