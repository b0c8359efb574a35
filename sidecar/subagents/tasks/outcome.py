"""How a run ends: one value, decided once, by whatever ends the run first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sidecar.api.async_tasks import EndReason, ErrorKind
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.timeouts import TimeoutChoice

NO_OUTPUT: Mapping[str, Any] = {"terminate_reason": "ERROR", "emitted_vars": {}}
"""The output of a run that returned without any."""
CancelledBy = Literal["user", "model"]

_FAILURES: Mapping[str, EndReason] = {"ERROR": "error", "TIMEOUT": "timeout", "MAX_TURNS": "maxTurns"}
_TERMINATE_REASONS: Mapping[EndReason, str] = {"timeout": "TIMEOUT", "maxTurns": "MAX_TURNS"}


class RunFailed(Exception):
    """The agent ended without reaching its goal; the text is for people and models."""

    def __init__(self, text: str, kind: ErrorKind | None = None) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one run: its status, why, and what it leaves.

    `error` is set exactly when the run failed; `words` are those of whoever cancelled it.
    """

    status: Literal["completed", "failed", "cancelled"]
    reason: EndReason
    error: str | None = None
    error_kind: ErrorKind | None = None
    output: Output | None = None
    words: str | None = None

    @property
    def terminate_reason(self) -> str:
        """Return the word for the reason in an output: GOAL, TIMEOUT, MAX_TURNS or ERROR."""
        return "GOAL" if self.status == "completed" else _TERMINATE_REASONS.get(self.reason, "ERROR")

    def with_output(self, output: Output | None) -> "Outcome":
        """Return the same end with what the run had produced by then; a cancelled run has no output."""
        return self if self.status == "cancelled" else replace(self, output=output)


def failed(
    reason: EndReason, error: str, output: Output | None = None, kind: ErrorKind | None = None
) -> Outcome:
    """Return the end of a run that did not reach its goal."""
    return Outcome("failed", reason, error, kind, output)


def cancelled(by: CancelledBy, words: str | None = None) -> Outcome:
    """Return the end of a run that somebody cancelled."""
    return Outcome("cancelled", "cancelledByModel" if by == "model" else "cancelledByUser", words=words)


def timed_out(timeout: TimeoutChoice) -> Outcome:
    """Return the end of a run at its time limit."""
    return failed("timeout", timeout.text)


def of_output(output: Output | None, timeout: TimeoutChoice) -> Outcome:
    """Return the end of a run that returned: only a goal reached is completed."""
    produced = output or NO_OUTPUT
    reason = str(produced.get("terminate_reason"))
    if reason not in _FAILURES:
        return Outcome("completed", "goal", output=produced)
    return failed(_FAILURES[reason], _error(reason, produced, timeout), produced)


HOST_EXIT = failed("hostExit", "The sidecar ended before the run did.")
LOST = failed("lost", "The sidecar was killed while this run was in progress; its output until then is kept.")


def _error(reason: str, output: Output, timeout: TimeoutChoice) -> str:
    if reason == "TIMEOUT" and timeout.effective is not None:
        return timeout.text
    return output.get("final_message") or f"Subagent ended with {reason}."
