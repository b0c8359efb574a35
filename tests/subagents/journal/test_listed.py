"""Lists of runs stay short, whatever the runs emitted."""

from typing import Any

import pytest

from sidecar.api.runs.async_tasks import PartialResult
from sidecar.subagents.journal import queries
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.listed import LISTED_BYTES, listed
from sidecar.subagents.journal.records import RunRecord
from tests.subagents.journal.conftest import MakeRecord

LARGE = "x" * LISTED_BYTES
SMALL: dict[str, Any] = {"a": 1, "b": ["\ud800"], "c": None, "d": 10**40}


def record_with(make_record: MakeRecord, variables: dict[str, Any]) -> RunRecord:
    record = make_record("completed")
    record.task.output = {"terminate_reason": "GOAL", "emitted_vars": variables, "final_message": "done"}
    return record


async def test_a_list_has_the_newest_variables_that_fit_and_counts_the_others(
    journal: Journal, make_record: MakeRecord
) -> None:
    variables = {"old": "o" * LISTED_BYTES, **SMALL, "large": LARGE}
    record = record_with(make_record, variables)
    await journal.save(record)
    (shown,) = (await journal.list()).records
    assert shown.task.output == {
        "terminate_reason": "GOAL",
        "emitted_vars": SMALL,
        "final_message": "done",
    }
    assert list(shown.task.output["emitted_vars"]) == list(SMALL)
    assert shown.task.omitted_vars == 2
    assert listed(shown.task) is shown.task
    assert await journal.get(record.task.id) == record


def test_what_fits_is_the_same_task(make_record: MakeRecord) -> None:
    for task in (record_with(make_record, SMALL).task, make_record().task):
        assert listed(task) is task
        assert task.omitted_vars is None


def test_many_small_variables_are_bounded_too(make_record: MakeRecord) -> None:
    task = listed(record_with(make_record, {f"v{number}": number for number in range(10_000)}).task)
    assert task.output is not None
    kept = task.output["emitted_vars"]
    assert list(kept)[-1] == "v9999"
    assert 1_000 < len(kept) == 10_000 - (task.omitted_vars or 0) < 2_000


def test_the_variables_of_a_partial_result_are_bounded_and_counted_once(make_record: MakeRecord) -> None:
    variables = {"large": LARGE, **SMALL}
    task = record_with(make_record, variables).task
    task.partial = PartialResult(emitted_vars=variables, touched_files=["a.py"])
    shown = listed(task)
    assert shown.output is not None
    assert shown.partial == PartialResult(emitted_vars=SMALL, touched_files=["a.py"])
    assert (shown.output["emitted_vars"], shown.omitted_vars) == (SMALL, 1)
    assert task.partial.emitted_vars == variables


@pytest.mark.parametrize("goal", ["g" * 400, LARGE])
async def test_a_page_of_many_bytes_ends_before_its_limit(
    journal: Journal, make_record: MakeRecord, monkeypatch: pytest.MonkeyPatch, goal: str
) -> None:
    monkeypatch.setattr(queries, "PAGE_BYTES", 3_000)
    for at in range(10):
        await journal.save(make_record(at=at, goal=goal))
    first = await journal.list()
    assert 1 <= len(first.records) < 10
    seen, cursor = list(first.records), first.next_cursor
    while cursor is not None:
        page = await journal.list(cursor=cursor)
        seen += page.records
        cursor = page.next_cursor
    assert [record.task.launched_at for record in seen] == list(reversed(range(10)))
