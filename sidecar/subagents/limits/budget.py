"""What a run and all runs of a day may use, and what they have used."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from sidecar.api.settings import BudgetSettings
from sidecar.javascript.printing import js_number
from sidecar.subagents.fold.usage import Usage


@dataclass(frozen=True)
class Spent:
    """What was used: USD, and all tokens together, the cache included."""

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
    """Follows what one run uses, and adds it to the day."""

    def __init__(self, budget: BudgetSettings, day: DaySpending) -> None:
        self._budget = budget
        self._day = day
        self._counted = Spent()

    def exceeded(self, usage: Usage) -> str | None:
        """Take in the newest usage of the run; return which limit it or the day exceeds."""
        spent = Spent(usage.cost or 0, usage.tokens)
        self._day.add(spent.cost - self._counted.cost, spent.tokens - self._counted.tokens)
        self._counted = spent
        limits = _task_limits(spent, self._budget)
        for used, limit, text in (*limits, *_day_limits(self._day.spent, self._budget)):
            if limit is not None and used > limit:
                return text
        return None


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
