"""Simulate years of use of one journal, with the code of a Host and a clock that jumps."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidecar.api.runs.async_tasks import AsyncTask, Progress
from sidecar.app.settings import SettingsStore
from sidecar.app.upkeep.journal_retention import JournalRetention
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.tasks.outcome import Outcome

DAY_MS = 86_400_000
_TEXT = "The tests pass now. I changed the parser so that it reads an empty line as the end of a block. " * 4
_MESSAGES = 4


@dataclass
class Years:
    """The result of a simulation: the last moment, the undelivered runs, and the largest file size."""

    now: int
    undelivered: list[str] = field(default_factory=list)
    largest: int = 0


class _Written:
    """Replaces the transcript of a run, which is not part of the journal."""

    async def finish(self, task: AsyncTask) -> None:
        """Do nothing."""

    async def sync(self) -> None:
        """Do nothing."""

    async def steer(self, text: str) -> bool:
        """Ignore a message."""
        return False

    def send(self, text: str) -> None:
        """Do nothing."""


async def simulate(
    path: Path, *, start: int, days: int, runs_a_day: int, undelivered_every: int, settings: dict[str, Any]
) -> Years:
    """Run `runs_a_day` subagents on each day, and a round of retention at the end of each week.

    Of every `undelivered_every` runs of a day, the model is not notified of one. `settings` is the group
    `journal`; without any, nothing is removed. `start` is in ms since the epoch.
    """
    years = Years(start)
    journal = await Journal.open(path)
    events = EventLog(journal, lambda: years.now)
    registry = RunRegistry(journal, events, lambda: years.now, lambda task: None)
    store = SettingsStore({"journal": settings})
    retention = JournalRetention(journal, store, lambda: years.now, pause_seconds=0)
    for day in range(1, days + 1):
        ended = await asyncio.gather(*(_one_run(registry, years) for _ in range(runs_a_day)))
        for task_id in ended:  # the registry would do that a second later, by the real clock
            await journal.transcript_finished(task_id)
        years.undelivered += ended[::undelivered_every]
        reported = set(ended) - set(ended[::undelivered_every])
        await journal.mark_notified([*reported], years.now)
        years.now += DAY_MS
        if settings and day % 7 == 0:
            await retention.round()
        years.largest = max(years.largest, path.stat().st_size)
    await registry.aclose(30)
    if settings:
        await retention.round()
    await journal.aclose()
    return years


async def _one_run(registry: RunRegistry, years: Years) -> str:
    task = AsyncTask(
        id=new_task_id(),
        subagent_name="reviewer",
        goal_prompt=_TEXT,
        status="running",
        launched_at=years.now,
        progress=Progress(last_activity_at=years.now),
        runner="shell",
        workspace_dir="/project",
    )
    run = await registry.add(RunRecord(task=task, origin="model", request={"goalPrompt": _TEXT}))
    run.executor = _Written()
    for number in range(_MESSAGES):
        await registry.emit(run, {"type": "message", "role": "assistant", "text": f"{number} {_TEXT}"})
    output = {"terminate_reason": "GOAL", "emitted_vars": {}, "final_message": _TEXT}
    registry.conclude(task.id, Outcome("completed", "goal", None, output=output))
    await run.recorded
    return task.id
