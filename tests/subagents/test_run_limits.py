"""Silence and spending: when a run is to be stopped, and what the day has left."""

import asyncio
from typing import Any

import pytest

from sidecar.api.settings import BudgetSettings
from sidecar.subagents.run_limits import DaySpending, LimitWatch, Spent

NOON = 1_700_000_000_000
DAY = 24 * 3_600_000


def usage(**members: Any) -> dict[str, Any]:
    return {"type": "usage", **members}


@pytest.fixture
def time() -> list[int]:
    return [NOON]


@pytest.fixture
def day(time: list[int]) -> DaySpending:
    return DaySpending(lambda: time[0])


async def test_a_run_may_use_its_whole_budget_and_no_more(day: DaySpending) -> None:
    watch = LimitWatch(BudgetSettings(per_task_cost=0.5), day, None)
    watch.take(usage(cost=0.5))
    assert not watch.overrun.done()
    watch.take(usage(cost=0.75))
    stopped = watch.overrun.result()
    assert stopped.end_reason == "budget"
    assert str(stopped) == "The run has cost 0.75 USD; budget.perTaskCost is 0.5, raise it to allow more."


async def test_tokens_in_and_out_count_together_as_last_said(day: DaySpending) -> None:
    watch = LimitWatch(BudgetSettings(per_task_tokens=100), day, None)
    watch.take(usage(inputTokens=60))
    watch.take(usage(outputTokens=40))
    watch.take(usage(inputTokens=60))
    assert not watch.overrun.done()
    watch.take(usage(inputTokens=61))
    assert "budget.perTaskTokens is 100" in str(watch.overrun.result())


async def test_all_runs_share_the_budget_of_the_day(day: DaySpending) -> None:
    budget = BudgetSettings(per_day_cost=1.0)
    first, second = LimitWatch(budget, day, None), LimitWatch(budget, day, None)
    first.take(usage(cost=0.75))
    second.take(usage(cost=0.25))
    assert not (first.overrun.done() or second.overrun.done())
    assert "budget.perDayCost is 1," in str(day.used_up(budget))
    second.take(usage(cost=0.5))
    assert second.overrun.done()


def test_a_new_day_begins_with_nothing_spent(day: DaySpending, time: list[int]) -> None:
    day.add(2, 30)
    assert day.spent == Spent(2, 30)
    time[0] += DAY
    assert day.spent == Spent()
    assert time[0] - DAY < day.midnight <= time[0]


def test_without_a_limit_no_day_is_used_up(day: DaySpending) -> None:
    day.add(10**6, 10**9)
    assert day.used_up(BudgetSettings()) is None


async def test_silence_stops_a_run_and_a_word_puts_it_off(day: DaySpending) -> None:
    watch = LimitWatch(BudgetSettings(), day, 0.2)
    loop = asyncio.get_running_loop()
    began = loop.time()
    loop.call_later(0.1, watch.take, {"type": "log"})
    stopped = await asyncio.wait_for(watch.overrun, 5)
    assert loop.time() - began >= 0.29
    assert stopped.end_reason == "inactivity"
    assert "after 0.2s" in str(stopped)


async def test_a_closed_watch_looks_no_more(day: DaySpending) -> None:
    watch = LimitWatch(BudgetSettings(), day, 0.01)
    watch.close()
    assert watch.overrun.cancelled()
