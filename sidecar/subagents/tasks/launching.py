"""What starts a subagent: the request, the abort handle, and what an orchestrator must offer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import Outcome, cancelled
from sidecar.subagents.tasks.signals import call_safely


class Clock(Protocol):
    """The time limit of a run, which stands still while the run waits for a person."""

    def pause(self) -> None:
        """Stop the clock."""

    def resume(self) -> None:
        """Let the clock continue."""


class Abort:
    """Tells a launch and its run to stop: once, with the outcome that stops them, to everyone who asked.

    `clock` is the time limit of the run. `wind_up` is what a run does at a limit before it is aborted, if it
    can; it returns False if it cannot now.
    """

    def __init__(self) -> None:
        self.clock: Clock | None = None
        self.wind_up: Callable[[], bool] | None = None
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
        """Have the run wind up, which ends in `end_at_limit`, or abort it; only the first call counts."""
        if self.aborted or self._limit is not None:
            return
        self._limit = outcome
        if self.wind_up is None or not self.wind_up():
            self.abort(outcome)

    def end_at_limit(self) -> None:
        """Abort if a limit was reached: the run has wound up, or its time for that is over."""
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
    """How a run goes on with the work of an ended one.

    `said` describes it to a fresh agent, `session_id` the session that the same agent may take up
    instead, and `session_cost` what that has cost so far (USD); `text` what the client says to it.
    """

    said: str
    session_id: str | None = None
    session_cost: float = 0
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class LaunchRequest:
    """What to launch. `behaviour_prompts` has the goal first.

    `run_config`: `max_time_minutes` (inf for none), `grace_period_seconds?`, `max_turns?`; None without
    any limit. `tool_config`: `tools`, where an empty list means no tool; None means the definition's.
    `output_config`: `outputs`, name to description.
    """

    name: str
    behaviour_prompts: list[str] = field(default_factory=list)
    run_config: Mapping[str, Any] | None = None
    tool_config: Mapping[str, Any] | None = None
    output_config: Mapping[str, Any] | None = None
    resumption: Resumption | None = None


class Scope(Protocol):
    """One run that can be driven."""

    @property
    def output(self) -> Output | None:
        """What the run has produced so far; also there after a timeout or an error."""

    async def run_non_interactive(self, context: dict[str, Any]) -> object:
        """Run to the end; return or raise soon after the launch's abort handle fires."""


@runtime_checkable
class SpeakingScope(Protocol):
    """A run that passes on what it says while it runs, to `on_message` once that is set."""

    on_message: Callable[[str], object] | None


class Launch(Protocol):
    """What a launch yields."""

    @property
    def agent_id(self) -> str:
        """The id of the run and of its task."""

    @property
    def scope(self) -> Scope:
        """The run."""

    def dispose(self) -> Awaitable[object]:
        """Free what the run held, however it ended.

        Called once; once more, while that goes on, when the Host ends and there is less time for it.
        """


class Orchestrator(Protocol):
    """Starts subagents by name."""

    async def launch(self, request: LaunchRequest, abort: Abort) -> Launch:
        """Start one; raise when it cannot be, or when `abort` fires first."""
