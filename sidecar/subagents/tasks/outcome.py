"""The outcome of a run: one value, set once by the first event that ends the run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sidecar.api.runs.async_tasks import EndReason, ErrorKind
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.timeouts import TimeoutChoice

NO_OUTPUT: Mapping[str, Any] = {"terminate_reason": "ERROR", "emitted_vars": {}}
"""The output of a run that returned none."""
CancelledBy = Literal["user", "model"]

_FAILURES: Mapping[str, EndReason] = {"ERROR": "error", "TIMEOUT": "timeout", "MAX_TURNS": "maxTurns"}
_TERMINATE_REASONS: Mapping[EndReason, str] = {"timeout": "TIMEOUT", "maxTurns": "MAX_TURNS"}


class RunFailed(Exception):
    """The agent did not reach its goal; the text is for people and models."""

    def __init__(
        self,
        text: str,
        kind: ErrorKind | None = None,
        retry_after_seconds: float | None = None,
        *,
        is_lost: bool = False,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.retry_after_seconds = retry_after_seconds
        self.is_lost = is_lost


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one run: status, reason and output.

    `error` is set if and only if the run failed. `words` are the reason that was given for a cancellation.
    `client_id` identifies the connection whose model cancelled the run, and so knows of the end.
    `retry_after_seconds` is how long the model's server asks to wait.
    """

    status: Literal["completed", "failed", "cancelled"]
    reason: EndReason
    error: str | None = None
    error_kind: ErrorKind | None = None
    output: Output | None = None
    words: str | None = None
    client_id: str = ""
    retry_after_seconds: float | None = None

    @property
    def terminate_reason(self) -> str:
        """The reason as outputs spell it: GOAL, TIMEOUT, MAX_TURNS or ERROR."""
        return "GOAL" if self.status == "completed" else _TERMINATE_REASONS.get(self.reason, "ERROR")

    def with_output(self, output: Output | None) -> "Outcome":
        """Return this outcome with an output, unless the run was cancelled."""
        return self if self.status == "cancelled" else replace(self, output=output)


def failed(
    reason: EndReason, error: str, output: Output | None = None, kind: ErrorKind | None = None
) -> Outcome:
    """Return the outcome of a run that did not reach its goal."""
    return Outcome("failed", reason, error, kind, output)


def cancelled(by: CancelledBy, words: str | None = None, client_id: str = "") -> Outcome:
    """Return the outcome of a cancelled run; `client_id` identifies the connection of a model."""
    reason: EndReason = "cancelledByUser" if by == "user" else "cancelledByModel"
    return Outcome("cancelled", reason, words=words, client_id=client_id)


def timed_out(timeout: TimeoutChoice) -> Outcome:
    """Return the outcome of a run that reached its time limit."""
    return failed("timeout", timeout.text)


def of_output(output: Output | None, timeout: TimeoutChoice) -> Outcome:
    """Return the outcome of a run that returned: `completed` only if it reached its goal."""
    produced = output or NO_OUTPUT
    reason = str(produced.get("terminate_reason"))
    if reason not in _FAILURES:
        return Outcome("completed", "goal", output=produced)
    return failed(_FAILURES[reason], _error(reason, produced, timeout), produced)


HOST_EXIT = failed("hostExit", "The sidecar ended before the run did.")
LAST_WINDOW_CLOSED = failed(
    "hostExit", 'The last editor window was closed, and the setting host.onLastWindowClose is "stop".'
)
LOST = failed("lost", "The sidecar was killed while this run was in progress; its output until then is kept.")
LOST_IN_QUEUE = failed("lost", "The sidecar was killed while this run was in the queue; it did not start.")


def _error(reason: str, output: Output, timeout: TimeoutChoice) -> str:
    if reason == "TIMEOUT" and timeout.effective is not None:
        return timeout.text
    return output.get("final_message") or f"Subagent ended with {reason}."
