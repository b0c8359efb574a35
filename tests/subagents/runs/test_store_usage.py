"""Usage that is read from an agent's own store."""

import json
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec

from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runners.contract import AgentStore
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.runs.store_usage import ReadUsage, StoreUsage, StoreUsages
from sidecar.subagents.transcript.transcript import Transcript, TranscriptHead


class Registry:
    """Notes what the stored task shows when the usage of its run is announced."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work: list[Coroutine[Any, Any, None]] = []
        self.stored: list[int] = []
        self.used: list[dict[str, Any]] = []
        self.records: dict[str, RunRecord] = {}

    def in_background(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Keep work that the test awaits."""
        self.work.append(work)

    async def add_usage(self, record: RunRecord, used: Mapping[str, Any]) -> None:
        """Announce usage."""
        self.used.append(dict(used))
        entry = self.root / "tasks" / record.task.id / "history_item.json"
        if "input_tokens" in used:
            self.stored.append(json.loads(entry.read_bytes())["tokensIn"])
        record.task.progress = msgspec.structs.replace(record.task.progress, **used)

    async def find(self, task_id: str) -> RunRecord | None:
        """Return a run that a later one continues."""
        return self.records.get(task_id)


async def read(session_id: str, environment: Mapping[str, str]) -> StoreUsage:
    return StoreUsage(100, 20)


async def ended(root: Path, resumes: str | None = None) -> RunRecord:
    """Store a run that has ended; return its record."""
    head = TranscriptHead(
        task_id=new_task_id(), goal="Do it", subagent_name="doer", workspace_dir="/w", started_at=5
    )
    await (await Transcript.start(root, head, lambda: 9)).finish("completed")
    task = AsyncTask(
        id=head.task_id,
        subagent_name="doer",
        goal_prompt="Do it",
        status="completed",
        progress=Progress(last_activity_at=0),
        runner="r",
        workspace_dir="/w",
        session_task_id="s",
        resumes=resumes,
    )
    return RunRecord(task=task, origin="client", request={})


async def look(registry: Registry, root: Path, read: ReadUsage, record: RunRecord) -> None:
    usages = StoreUsages(cast(RunRegistry, registry), root, read, lambda task_id: None)
    usages.look(Run(record), AgentStore({}))
    for work in registry.work:
        await work
    registry.work.clear()


async def test_usage_is_announced_once_the_stored_task_shows_it(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    await look(registry, tmp_path, read, await ended(tmp_path))
    assert registry.stored == [100]


async def test_a_run_whose_only_answer_broke_off_has_no_tokens_instead_of_zero(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    whole = StoreUsage(100, 20)

    async def read_whole(session_id: str, environment: Mapping[str, str]) -> StoreUsage:
        return whole

    first = await ended(tmp_path)
    broken = await ended(tmp_path, resumes=first.task.id)
    third = await ended(tmp_path, resumes=broken.task.id)
    registry.records = {each.task.id: each for each in (first, broken)}
    await look(registry, tmp_path, read_whole, first)
    await look(registry, tmp_path, read_whole, broken)
    whole = StoreUsage(130, 25)
    await look(registry, tmp_path, read_whole, third)
    assert broken.task.progress.input_tokens is None
    assert (third.task.progress.input_tokens, third.task.progress.output_tokens) == (30, 5)
    assert registry.stored == [100, 30]
