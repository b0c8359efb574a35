"""How many runs there are in each state."""

from dataclasses import dataclass

from sidecar.subagents.journal.journal import Journal


@dataclass(frozen=True)
class RunCounts:
    """The runs in each of the five states; `foreground` are running ones that hold no slot.

    Those are the synchronous runs of the tool `task`: they are not in `by_status` until they have ended.
    """

    by_status: dict[str, int]
    foreground: int


async def count_runs(journal: Journal) -> RunCounts:
    """Count the runs that the journal shows."""
    return RunCounts(dict((await journal.counts()).items()), await journal.foreground())
