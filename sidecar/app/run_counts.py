"""How many runs there are in each state."""

from collections.abc import Mapping
from dataclasses import dataclass

from sidecar.subagents.journal import Journal
from sidecar.subagents.records import RunRecord


@dataclass(frozen=True)
class RunCounts:
    """The runs in each of the five states; `foreground` are running ones that hold no slot.

    Those are the synchronous runs of the tool `task`: they are not in `by_status` until they have ended.
    """

    by_status: dict[str, int]
    foreground: int


async def count_runs(journal: Journal, lost: Mapping[str, RunRecord]) -> RunCounts:
    """Count the runs; `lost` has the ends of a crash that the journal may not have yet."""
    counts: dict[str, int] = dict((await journal.counts()).items())
    foreground = await journal.foreground()
    for task_id in await journal.live_ids() if lost else ():
        if (ended := lost.get(task_id)) is None:
            continue
        counts[ended.task.status] += 1
        if ended.sync:
            foreground -= 1
        else:
            counts["running" if ended.task.launched_at is not None else "queued"] -= 1
    return RunCounts(counts, foreground)
