"""A run that resumes others on a cluster learns which of them may have changes there."""

from typing import Any

import pytest

from sidecar.api.runs.async_tasks import Changes
from sidecar.app.launching.resuming import Resumptions
from sidecar.subagents.journal.records import RunRecord
from tests.app.launching.conftest import Planning
from tests.app.upkeep.records import record

NOTHING, ONE = (Changes(files=count, additions=0, deletions=0) for count in (0, 1))


async def runs(planning: Planning, *records: RunRecord) -> tuple[str, ...]:
    for each in records:
        await planning.journal.save(each)
    resumptions = Resumptions(planning.events, planning.registry)
    return (await resumptions.of(records[0], None, same_runner=False)).runs


def ended(remote: dict[str, Any] | None, *, has_changes: bool = False, **members: Any) -> RunRecord:
    known = record(status="completed", completed_at=2_000, **members)
    known.remote, known.has_changes = remote, has_changes
    return known


@pytest.mark.parametrize(
    ("known", "counts"),
    [
        (ended({"isGoing": True}, has_changes=True, changes=ONE), True),
        (ended({"isGoing": True}), True),
        (ended({"isGoing": True}, changes=NOTHING), True),
        (ended({"isGoing": True}, has_changes=True, changes=NOTHING), False),
        (ended({"isGoing": False}), False),
        (ended(None, changes=ONE), False),
    ],
    ids=["changes", "not back", "not counted by git", "nothing changed", "not started", "on this machine"],
)
async def test_only_runs_that_may_have_changes_on_a_cluster_count(
    planning: Planning, known: RunRecord, counts: bool
) -> None:
    assert await runs(planning, known) == ((known.task.id,) if counts else ())


async def test_the_runs_before_the_resumed_one_count_too(planning: Planning) -> None:
    first = ended({"isGoing": True})
    here = ended(None, resumes=first.task.id)
    last = ended({"isGoing": True}, resumes=here.task.id)
    assert await runs(planning, last, here, first) == (last.task.id, first.task.id)
