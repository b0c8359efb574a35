"""Spending: when a run has used too much, and what the day has left."""

from typing import Any

import pytest

from sidecar.api.settings import BudgetSettings
from sidecar.subagents.fold.usage import Usage
from sidecar.subagents.limits.budget import BudgetWatch, DaySpending, Spent

NOON = 1_700_000_000_000
DAY = 24 * 3_600_000


@pytest.fixture
def time() -> list[int]:
    return [NOON]


@pytest.fixture
def day(time: list[int]) -> DaySpending:
    return DaySpending(lambda: time[0])


class Run:
    """A run under a budget; `shown` has the limits it exceeded."""

    def __init__(self, budget: BudgetSettings, day: DaySpending) -> None:
        self.shown: list[str] = []
        self._watch = BudgetWatch(budget, day)
        self._usage = Usage()

    def uses(self, **members: Any) -> None:
        self._usage.take({"type": "usage", **members})
        text = self._watch.exceeded(self._usage)
        if text is not None:
            self.shown.append(text)


def test_a_run_may_use_its_whole_budget_and_no_more(day: DaySpending) -> None:
    run = Run(BudgetSettings(per_task_cost=0.5), day)
    run.uses(cost=0.5)
    assert run.shown == []
    run.uses(cost=0.75)
    assert run.shown == ["The run has cost 0.75 USD; budget.perTaskCost is 0.5. Raise it to allow more."]


def test_all_tokens_count_together_as_last_reported(day: DaySpending) -> None:
    run = Run(BudgetSettings(per_task_tokens=100), day)
    run.uses(inputTokens=60)
    run.uses(outputTokens=40)
    run.uses(inputTokens=60)
    assert run.shown == []
    run.uses(cacheReads=1)
    assert "budget.perTaskTokens is 100" in run.shown[0]


def test_all_runs_share_the_budget_of_the_day(day: DaySpending) -> None:
    budget = BudgetSettings(per_day_cost=1.0)
    first, second = Run(budget, day), Run(budget, day)
    first.uses(cost=0.75)
    second.uses(cost=0.25)
    assert first.shown == second.shown == []
    assert "budget.perDayCost is 1." in str(day.used_up(budget))
    second.uses(cost=0.5)
    assert len(second.shown) == 1


def test_a_new_day_begins_with_nothing_spent(day: DaySpending, time: list[int]) -> None:
    day.add(2, 30)
    assert day.spent == Spent(2, 30)
    time[0] += DAY
    assert day.spent == Spent()
    assert time[0] - DAY < day.midnight <= time[0]


def test_without_a_limit_no_day_is_used_up(day: DaySpending) -> None:
    day.add(10**6, 10**9)
    assert day.used_up(BudgetSettings()) is None
