"""What a run and all runs of a day may use, and what they have used."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sidecar.api.settings import BudgetSettings
from sidecar.subagents.js_text import js_number

_TOKENS = ("inputTokens", "outputTokens", "cacheReads", "cacheWrites")
_USAGE = ("cost", *_TOKENS)


@dataclass(frozen=True)
class Spent:
    """What was used: USD, and tokens in and out together."""

    cost: float = 0
    tokens: int = 0


class DaySpending:
    """What all runs of a Host have used since local midnight. `now` gives ms since the epoch."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._day = self._today()
        self._spent = Spent()

    @property
    def midnight(self) -> int:
        """The beginning of the present day, in ms since the epoch."""
        return int(datetime.combine(self._today(), datetime.min.time()).timestamp() * 1000)

    @property
    def spent(self) -> Spent:
        """What was used today."""
        if self._day != self._today():
            self._day, self._spent = self._today(), Spent()
        return self._spent

    def add(self, cost: float, tokens: int) -> None:
        """Take in what was used just now."""
        self._spent = Spent(self.spent.cost + cost, self.spent.tokens + tokens)

    def used_up(self, budget: BudgetSettings) -> str | None:
        """Say which of the day's limits leaves nothing for another run; None if all leave something."""
        for used, limit, text in _day_limits(self.spent, budget):
            if limit is not None and used >= limit:
                return text
        return None

    def _today(self) -> date:
        return datetime.fromtimestamp(self._now() / 1000).date()


class BudgetWatch:
    """Follows one run's events; calls `overspent` with the reason whenever they tell of too much."""

    def __init__(self, budget: BudgetSettings, day: DaySpending, overspent: Callable[[str], object]) -> None:
        self._budget = budget
        self._day = day
        self._overspent = overspent
        self._usage: dict[str, float] = dict.fromkeys(_USAGE, 0)

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
        if event["type"] == "usage":
            self._spend({name: event[name] for name in _USAGE if name in event})

    def _spend(self, newest: dict[str, float]) -> None:
        before, self._usage = self._usage, {**self._usage, **newest}  # values are cumulative
        more = {name: self._usage[name] - before[name] for name in _USAGE}
        self._day.add(more["cost"], int(sum(more[name] for name in _TOKENS)))
        tokens = int(sum(self._usage[name] for name in _TOKENS))
        limits = _task_limits(Spent(self._usage["cost"], tokens), self._budget)
        for used, limit, text in (*limits, *_day_limits(self._day.spent, self._budget)):
            if limit is not None and used > limit:
                self._overspent(text)
                return


_Limit = tuple[float, float | None, str]
"""What was used, the limit, and the sentence for the case that it is too much."""


def _task_limits(spent: Spent, budget: BudgetSettings) -> tuple[_Limit, _Limit]:
    cost, tokens = budget.per_task_cost, budget.per_task_tokens
    return (
        (spent.cost, cost, _text("The run has cost", spent.cost, "USD", "perTaskCost", cost)),
        (spent.tokens, tokens, _text("The run has used", spent.tokens, "tokens", "perTaskTokens", tokens)),
    )


def _day_limits(spent: Spent, budget: BudgetSettings) -> tuple[_Limit, _Limit]:
    cost, tokens = budget.per_day_cost, budget.per_day_tokens
    return (
        (spent.cost, cost, _text("Today's runs have cost", spent.cost, "USD", "perDayCost", cost)),
        (
            spent.tokens,
            tokens,
            _text("Today's runs have used", spent.tokens, "tokens", "perDayTokens", tokens),
        ),
    )


def _text(what: str, used: float, unit: str, setting: str, limit: float | None) -> str:
    bound = "none" if limit is None else js_number(limit)
    return f"{what} {js_number(used)} {unit}; budget.{setting} is {bound}, raise it to allow more."
