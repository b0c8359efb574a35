"""The order of `ps`: children after the run that launched them."""

from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.cli.nesting import nested


def task(task_id: str, parent: str | None = None) -> AsyncTask:
    return AsyncTask(
        id=task_id,
        subagent_name="a",
        goal_prompt="",
        status="running",
        progress=Progress(last_activity_at=0),
        runner="r",
        workspace_dir="/w",
        parent_task_id=parent,
    )


def shown(*tasks: AsyncTask) -> list[str]:
    return [f"{'.' * depth}{each.id}" for depth, each in nested(tasks)]


def test_children_follow_their_parent_at_any_depth() -> None:
    tasks = (task("new"), task("leaf", "child"), task("child", "old"), task("other", "old"), task("old"))
    assert shown(*tasks) == ["new", "old", ".child", "..leaf", ".other"]


def test_a_run_whose_parent_is_not_listed_is_at_the_top() -> None:
    assert shown(task("child", "gone"), task("x")) == ["child", "x"]
