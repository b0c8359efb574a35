"""Usage that is read from an agent's own store."""

import json
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, cast

from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runners.contract import AgentStore
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.runs.store_usage import StoreUsage, StoreUsages
from sidecar.subagents.transcript.transcript import Transcript, TranscriptHead


class Registry:
    """Notes what the stored task shows when the usage of its run is announced."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work: list[Coroutine[Any, Any, None]] = []
        self.stored: list[int] = []

    def in_background(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Keep work that the test awaits."""
        self.work.append(work)

    async def add_usage(self, record: RunRecord, used: Mapping[str, Any]) -> None:
        """Announce usage."""
        entry = self.root / "tasks" / record.task.id / "history_item.json"
        self.stored.append(json.loads(entry.read_bytes())["tokensIn"])


async def read(session_id: str, environment: Mapping[str, str]) -> StoreUsage:
    return StoreUsage(100, 20)


async def test_usage_is_announced_once_the_stored_task_shows_it(tmp_path: Path) -> None:
    head = TranscriptHead(
        task_id=new_task_id(), goal="Do it", subagent_name="doer", workspace_dir="/w", started_at=5
    )
    await (await Transcript.start(tmp_path, head, lambda: 9)).finish("completed")
    task = AsyncTask(
        id=head.task_id,
        subagent_name="doer",
        goal_prompt="Do it",
        status="completed",
        progress=Progress(last_activity_at=0),
        runner="r",
        workspace_dir="/w",
        session_task_id="s",
    )
    registry = Registry(tmp_path)
    usages = StoreUsages(cast(RunRegistry, registry), tmp_path, read, lambda task_id: None)
    usages.look(Run(RunRecord(task=task, origin="client", request={})), AgentStore({}))
    for work in registry.work:
        await work
    assert registry.stored == [100]
