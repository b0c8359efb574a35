"""Track the cost and the tokens of each run and of each day, and compare them with the budget."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from sidecar.api.settings import BudgetSettings
from sidecar.javascript.printing import js_number
from sidecar.subagents.fold.usage import Usage


@dataclass(frozen=True)
class Spent:
    """Spending: cost in USD, and all tokens including those of the cache."""

    cost: float = 0
    tokens: int = 0


class DaySpending:
    """The spending of all runs of a Host since local midnight. `now` returns ms since the epoch."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._day = self._today()
        self._spent = Spent()

    @property
    def midnight(self) -> int:
        """The start of today in ms since the epoch."""
        return int(datetime.combine(self._today(), datetime.min.time()).timestamp() * 1000)

    @property
    def spent(self) -> Spent:
        """The spending of today."""
        if self._day != self._today():
            self._day, self._spent = self._today(), Spent()
        return self._spent

    def add(self, cost: float, tokens: int) -> None:
        """Add spending of this moment."""
        self._spent = Spent(self.spent.cost + cost, self.spent.tokens + tokens)

    def used_up(self, budget: BudgetSettings) -> str | None:
        """Return a message about a daily limit that is used up; None if another run may start."""
        for used, limit, text in _day_limits(self.spent, budget):
            if limit is not None and used >= limit:
                return text
        return None

    def _today(self) -> date:
        return datetime.fromtimestamp(self._now() / 1000).date()


class BudgetWatch:
    """Track the spending of one run and add it to the day."""

    def __init__(self, budget: BudgetSettings, day: DaySpending) -> None:
        self._budget = budget
        self._day = day
        self._counted = Spent()

    def exceeded(self, usage: Usage) -> str | None:
        """Update the usage of the run; return a message if the run or the day exceeds a limit."""
        spent = Spent(usage.cost or 0, usage.tokens)
        self._day.add(spent.cost - self._counted.cost, spent.tokens - self._counted.tokens)
        self._counted = spent
        limits = _task_limits(spent, self._budget)
        for used, limit, text in (*limits, *_day_limits(self._day.spent, self._budget)):
            if limit is not None and used > limit:
                return text
        return None


_Limit = tuple[float, float | None, str]
"""The amount used, the limit, and the message if the limit is exceeded."""


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
    return f"{what} {js_number(used)} {unit}; budget.{setting} is {bound}. Raise it to allow more."
