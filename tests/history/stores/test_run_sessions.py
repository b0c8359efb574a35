"""The usage of a run and of its session in the agent's own store counts once."""

from typing import Any

from sidecar.api.stored.tasks import Mode, TaskInfo, TokenUsage
from sidecar.history.stats import totals
from sidecar.history.stores.run_sessions import counted_once


def task(task_id: str, usage: TokenUsage | None, session: str | None = None) -> TaskInfo:
    values: dict[str, Any] = {
        "title": task_id,
        "status": "completed",
        "outcome": "completed",
        "mode": Mode(),
        "token_usage": usage,
        "message_count": 2,
        "root": "/r",
        "product": "claude" if session is None else "sidecar",
        "session_task_id": session,
        "size_bytes": 0,
        "problems": [],
    }
    return TaskInfo(id=task_id, **values)


def summed(*tasks: TaskInfo) -> tuple[object, ...]:
    found = totals(counted_once(tasks))
    return found.tokens, found.cost, found.estimated_cost, found.tasks_with_cost, found.messages


def test_the_session_counts_instead_of_its_runs() -> None:
    session = task("s", TokenUsage(total=30, cost=3))
    assert summed(session, task("run", TokenUsage(total=10, cost=1), "s")) == (30, 3, None, 1, 2)


def test_a_run_counts_if_its_session_is_not_there() -> None:
    assert summed(task("run", TokenUsage(total=10, cost=1), "s")) == (10, 1, None, 1, 2)


def test_costs_of_runs_count_instead_of_an_estimate_if_the_session_records_none() -> None:
    session = task("s", TokenUsage(total=30, estimated_cost=5))
    runs = [task(name, TokenUsage(total=10, cost=1, estimated_cost=None), "s") for name in ("one", "two")]
    assert summed(session, *runs) == (30, 2, None, 2, 2)


def test_the_estimate_of_a_session_counts_if_no_run_has_a_cost() -> None:
    session = task("s", TokenUsage(total=30, estimated_cost=5))
    assert summed(session, task("run", TokenUsage(total=10, estimated_cost=2), "s")) == (30, None, 5, 0, 2)
