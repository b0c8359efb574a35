"""Wait for the ends of tasks that a manager knows."""

import asyncio
from collections.abc import Sequence

from sidecar.subagents.tasks.manager import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo
from sidecar.tools.check_params import WaitMode


async def wait_for_ends(
    manager: AsyncTaskManager, task_ids: Sequence[str], mode: WaitMode, seconds: float
) -> bool:
    """Wait until any or all of the tasks have ended; return True after a timeout."""
    changed = asyncio.Event()

    def note(task: AsyncTaskInfo) -> None:
        changed.set()

    def is_over() -> bool:
        live = {task.id for task in manager.get_running_tasks()}
        return (all if mode == "all" else any)(task_id not in live for task_id in task_ids)

    unsubscribe = [
        manager.on_task_completed(note),
        manager.on_task_failed(note),
        manager.on_task_cancelled(note),
    ]
    try:
        async with asyncio.timeout(seconds):
            while not is_over():
                changed.clear()
                await changed.wait()
    except TimeoutError:
        return True
    finally:
        for each in unsubscribe:
            each()
    return False
