"""Hold the queues of runners whose models refuse requests, and watch runs for refusals and answers."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from sidecar.api.runs.async_tasks import ErrorKind, Waiting
from sidecar.subagents.fold.usage import retrying_of
from sidecar.subagents.limits.hold import Hold, answered, refused
from sidecar.subagents.runners.output.model_errors import error_kind
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.manager import wall_clock_ms
from sidecar.subagents.tasks.signals import Signal

Account = tuple[str, str]
"""The name of a runner, and the provider of the model that the definition names; "" if it names none."""

_ANSWERS = frozenset({"message", "thought", "tool"})
"""Events that only a model that answers can cause."""
_REFUSALS = ("rateLimit", "overloaded")


def monotonic_ms() -> int:
    """Return the time in ms since an unknown start, which a change of the clock does not affect."""
    return time.monotonic_ns() // 1_000_000


def account_of(runner: str, model: str | None) -> Account:
    """Return the account that runs of a runner with this model use. Limits apply to an account.

    Models of other providers are used with other accounts, such as `anthropic/opus` and `openai/gpt`. A model
    without a provider is used with the runner's own account.
    """
    provider, slash, _ = (model or "").partition("/")
    return runner, provider if slash else ""


class RunnerHolds:
    """The holds of one Host. `changed` signals an account whose launches may start or wait for another time.

    Use it in the thread of the event loop. `now` returns monotonic ms, `wall` ms since the epoch.
    """

    def __init__(
        self, now: Callable[[], int] = monotonic_ms, wall: Callable[[], int] = wall_clock_ms
    ) -> None:
        self.changed: Signal[Account] = Signal()
        self._now = now
        self._wall = wall
        self._holds: dict[Account, Hold] = {}
        self._ends: dict[Account, int] = {}
        """When each hold ends, in ms since the epoch."""
        self._accounts: dict[str, Account] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def may_start(self, account: Account) -> bool:
        """Return whether a launch of the account may start now."""
        hold = self._hold(account)
        return hold is None or hold.may_start(self._now())

    def waiting(self, account: Account) -> Waiting | None:
        """Return why launches of the account wait, and until when; None if they may start."""
        hold = self._hold(account)
        if hold is None or hold.may_start(self._now()):
            return None
        return Waiting(reason=hold.cause, until=self._ends[account] if self._now() < hold.until else None)

    def enter(self, task_id: str, account: Account) -> None:
        """Watch a run that starts. After a hold, the first one that starts probes. Idempotent."""
        self._accounts[task_id] = account
        hold = self._hold(account)
        if hold is not None:
            self._set(account, hold.probed_by(task_id, self._now()))

    def take(self, task_id: str, event: dict[str, Any]) -> None:
        """Process one event of a run: a repeated request was refused, text or a tool call is an answer."""
        account = self._accounts.get(task_id)
        if account is None:
            return
        retrying = retrying_of(event)
        if retrying is not None:
            kind = error_kind(retrying.text, retrying.status)
            self._refuse(account, kind, retrying.retry_after_seconds)
        elif account in self._holds and _is_answer(event):
            self._set(account, answered(self._holds[account], task_id))

    def run_concluded(self, run: Run) -> None:
        """Stop watching a run that has an outcome."""
        account, outcome = self._accounts.get(run.id), run.outcome
        if account is None or outcome is None:
            return
        self._refuse(account, outcome.error_kind, outcome.retry_after_seconds)
        if outcome.status == "completed":
            self._set(account, answered(self._holds.get(account), run.id))
        self.leave(run.id)

    def leave(self, task_id: str) -> None:
        """Stop watching a run about which nothing is known; do nothing if it is not watched."""
        account = self._accounts.pop(task_id, None)
        hold = None if account is None else self._holds.get(account)
        if account is not None and hold is not None:
            self._set(account, hold.without_probe(task_id))

    def close(self) -> None:
        """Stop the timer; nothing is signaled any more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _refuse(self, account: Account, kind: ErrorKind | None, seconds: float | None) -> None:
        if kind == "rateLimit" or kind == "overloaded":
            wait = None if seconds is None else round(seconds * 1_000)
            self._set(account, refused(self._hold(account), kind, wait, self._now()))

    def _hold(self, account: Account) -> Hold | None:
        hold = self._holds.get(account)
        return None if hold is None or hold.is_over(self._now()) else hold

    def _set(self, account: Account, hold: Hold | None) -> None:
        before = self._holds.pop(account, None)
        if hold is not None:
            self._holds[account] = hold
            if before is None or before.until != hold.until:
                self._ends[account] = self._wall() + hold.until - self._now()
        if hold != before:
            self._arm()
            self._signal(account)

    def _signal(self, account: Account) -> None:
        if not self._closed:
            self.changed.emit(account)

    def _arm(self) -> None:
        """Wake when the next hold ends."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._holds and not self._closed:
            now = self._now()
            delay = min(hold.changes_at(now) for hold in self._holds.values()) - now
            self._timer = asyncio.get_running_loop().call_later(delay / 1_000, self._wake)

    def _wake(self) -> None:
        for account, hold in tuple(self._holds.items()):
            if hold.is_over(self._now()):
                del self._holds[account]
            self._signal(account)
        self._arm()


def _is_answer(event: dict[str, Any]) -> bool:
    """Return whether a model caused an event. Some agents report refused requests as text of the model."""
    if event["type"] not in _ANSWERS or event.get("role") == "user":
        return False
    return event["type"] != "message" or error_kind(str(event.get("text", ""))) not in _REFUSALS
