"""What a launch needs from both sides: the abort handle, and a run that was started."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import Outcome, cancelled
from sidecar.subagents.tasks.signals import call_safely
from sidecar.subagents.tasks.timeouts import TimeoutChoice


class Clock(Protocol):
    """The time limit of a run, which pauses while the run waits for a person."""

    def pause(self) -> None:
        """Stop the clock."""

    def resume(self) -> None:
        """Let the clock continue."""


class Abort:
    """Stop a launch and its run: once, with the outcome that stops them; every handler is called.

    `clock` is the time limit of the run. `on_soft_limit` lets a run finish its last turn at a limit; it
    returns False if the run cannot do that now.
    """

    def __init__(self) -> None:
        self.clock: Clock | None = None
        self.on_soft_limit: Callable[[], bool] | None = None
        self._limit: Outcome | None = None
        self._outcome: Outcome | None = None
        self._handlers: dict[object, Callable[[], object]] = {}

    @property
    def aborted(self) -> bool:
        """Whether `abort` was called."""
        return self._outcome is not None

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome that the first `abort` gave."""
        return self._outcome

    def abort(self, outcome: Outcome | None = None) -> None:
        """Call every handler; only the first call does anything. A raising handler is logged.

        Without an outcome the run is cancelled by its user.
        """
        if self._outcome is not None:
            return
        self._outcome = outcome or cancelled("user")
        handlers, self._handlers = self._handlers, {}
        for handler in handlers.values():
            call_safely(handler)

    def reach_limit(self, outcome: Outcome) -> None:
        """Let the run finish its last turn, then `end_at_limit`; abort it if it cannot. Idempotent."""
        if self.aborted or self._limit is not None:
            return
        self._limit = outcome
        if self.on_soft_limit is None or not self.on_soft_limit():
            self.abort(outcome)

    def end_at_limit(self) -> None:
        """Abort if a limit was reached: the last turn has ended, or its time is over."""
        if self._limit is not None:
            self.abort(self._limit)

    def on_abort(self, handler: Callable[[], object]) -> Callable[[], None]:
        """Call `handler` at the abort, at once if that was before; the callable returned removes it."""
        key = object()
        if self.aborted:
            call_safely(handler)
        else:
            self._handlers[key] = handler

        def unsubscribe() -> None:
            self._handlers.pop(key, None)

        return unsubscribe


@dataclass(frozen=True)
class Resumption:
    """What a run needs to continue the work of an ended one.

    `replay` describes that work to a fresh agent. `session_id` is the session that the same agent may take up
    instead, and `session_cost` what it has cost so far (USD); `text` is the client's message.
    """

    replay: str
    session_id: str | None = None
    session_cost: float = 0
    text: str | None = None


class Launchable(Protocol):
    """A checked launch, as far as whatever runs it needs to know."""

    @property
    def subagent_name(self) -> str:
        """The name of the subagent, for texts."""

    @property
    def goal_prompt(self) -> str:
        """The goal of the run."""

    @property
    def timeout(self) -> TimeoutChoice:
        """The time limit of launch and run."""

    @property
    def update_output(self) -> Callable[[str], object] | None:
        """Called with the run's id as soon as it has one, then with the agent's text, piece by piece."""


class StartedRun(Protocol):
    """What a launch yields: a run that waits for `run`."""

    on_message: Callable[[str], object] | None
    """Called with the agent's text, piece by piece, where the run has any."""

    @property
    def agent_id(self) -> str:
        """The id of the run and of its task."""

    @property
    def output(self) -> Output | None:
        """What the run has produced so far; also there after a timeout or an error."""

    async def run(self) -> object:
        """Run to the end; return or raise soon after the launch's abort handle fires."""

    def dispose(self) -> Awaitable[object]:
        """Free what the run held, however it ended.

        Called once, and once more while that is under way if the Host ends and less time is left.
        """


StartRun = Callable[[Abort], Awaitable[StartedRun]]
"""Starts one run; raises when that fails, or when the abort handle fires first."""
