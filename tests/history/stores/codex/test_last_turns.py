"""How the last turn of a session ended, and what it used until then.

Codex adds an answer to its sums after the tools of that answer; until then, the own record of it counts.
"""

from pathlib import Path
from typing import Any

from sidecar.api.stored.tasks import TaskInfo
from tests.history.stores.codex.test_undated_turns import CHILD, meta, record, turn
from tests.history.stores.fixtures.growing import append, history_of, tasks


def answer(second: int, given: int, total: int, key: str = CHILD) -> dict[str, Any]:
    used = {"input_tokens": given, "cached_input_tokens": 0, "output_tokens": 0}
    sums = {**used, "input_tokens": total}
    return record(second, "token_usage_record", thread_id=key, usage=used, thread_token_usage=sums)


def listed(root: Path, *records: dict[str, Any]) -> TaskInfo:
    append(
        root / "sessions" / "2026" / "04" / "15" / f"rollout-2026-04-15T10-00-00-{CHILD}.jsonl", [*records]
    )
    return tasks(history_of(root))[CHILD]


def test_an_answer_counts_before_its_tools_have_run(tmp_path: Path) -> None:
    asked = turn(1, "Do it", 0, 0)[:3]
    task = listed(tmp_path, meta(0, CHILD), *asked, answer(2, 1_000, 1_000))
    assert task.token_usage is not None
    assert (task.model, task.token_usage.input) == ("gpt-5", 1_000)


def test_a_sum_replaces_the_answers_that_it_includes(tmp_path: Path) -> None:
    first, last = turn(1, "Do it", 1_000, 1_000), turn(10, "And then", 1_600, 600)
    records = [meta(0, CHILD), *first[:4], answer(3, 1_000, 1_000), *first[4:]]
    assert (used := listed(tmp_path, *records).token_usage) is not None
    assert used.input == 1_000
    more = [*last[:3], answer(12, 600, 1_600)]
    assert (used := listed(tmp_path, *more).token_usage) is not None
    assert used.input == 1_600
    assert (used := listed(tmp_path, *last[3:]).token_usage) is not None
    assert used.input == 1_600


def test_an_answer_that_no_sum_includes_is_never_lost(tmp_path: Path) -> None:
    """Codex continues a session from its last sum, without an answer that was killed in a tool."""
    first, last = turn(1, "Do it", 1_000, 1_000), turn(20, "Continue", 3_000, 2_000)
    killed = [meta(0, CHILD), *first, *turn(10, "And then", 0, 0)[:3], answer(12, 4_000, 5_000)]
    assert (used := listed(tmp_path, *killed).token_usage) is not None
    assert used.input == 5_000
    assert (used := listed(tmp_path, *last[:3], answer(22, 2_000, 7_000), *last[3:]).token_usage) is not None
    assert used.input == 7_000


def test_an_answer_of_another_session_does_not_count(tmp_path: Path) -> None:
    records = [meta(0, CHILD), *turn(1, "Do it", 1_000, 1_000), answer(5, 700, 700, key="other")]
    assert (used := listed(tmp_path, *records).token_usage) is not None
    assert used.input == 1_000


def test_a_turn_that_ends_with_an_error_failed(tmp_path: Path) -> None:
    asked = turn(1, "Do it", 0, 0)[:3]
    error = {"message": "unexpected status 401", "codex_error_info": {"http_status_code": 401}}
    ended = record(2, "event_msg", type="task_complete", last_agent_message=None, error=error)
    task = listed(tmp_path, meta(0, CHILD), *asked, ended)
    assert (task.status, task.outcome) == ("failed", "failed")
    shown = history_of(tmp_path).messages(CHILD).messages
    assert [each.text for each in shown if each.kind == "error"] == ["unexpected status 401"]
