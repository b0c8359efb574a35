"""Count the runs by status."""

from dataclasses import dataclass

from sidecar.subagents.journal.journal import Journal


@dataclass(frozen=True)
class RunCounts:
    """The number of runs with each of the five statuses, and of running ones in the foreground.

    Runs in the foreground are synchronous runs of the tool `task`. They have no slot and are missing from
    `by_status` until they have ended.
    """

    by_status: dict[str, int]
    foreground: int


async def count_runs(journal: Journal) -> RunCounts:
    """Count the runs in the journal."""
    return RunCounts(dict((await journal.counts()).items()), await journal.foreground())
