"""What the end of a driven run means for its task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sidecar.api.async_tasks import EndReason
from sidecar.subagents.driving import BUDGET, HOST_EXIT, INACTIVITY, MAX_TURNS, STARTUP, RunEnd
from sidecar.subagents.model import Output
from sidecar.subagents.timeouts import TimeoutChoice

NO_OUTPUT: Mapping[str, Any] = {"terminate_reason": "ERROR", "emitted_vars": {}}
"""What a run that returned without any output is taken to have produced."""
HOST_EXIT_TEXT = "The sidecar ended before the run did."

_LIMITS: Mapping[str | None, EndReason] = {
    INACTIVITY: "inactivity",
    STARTUP: "startupTimeout",
    BUDGET: "budget",
    MAX_TURNS: "maxTurns",
}
_FAILURES: Mapping[str, EndReason] = {"ERROR": "error", "TIMEOUT": "timeout", "MAX_TURNS": "maxTurns"}


@dataclass(frozen=True)
class Ending:
    """The state a task takes, why, and what it keeps. A cancelled one has no end reason of its own."""

    status: Literal["completed", "failed", "cancelled"]
    end_reason: EndReason | None = None
    error: str | None = None
    output: Output | None = None


def ending_of(end: RunEnd, timeout: TimeoutChoice) -> Ending:
    """Map a run's end to its task's: only a run that returned with its goal reached is completed."""
    if end.how == "timeout":
        return Ending("failed", "timeout", timeout.text, end.output)
    if end.how == "aborted":
        if end.reason == HOST_EXIT:
            return Ending("failed", "hostExit", HOST_EXIT_TEXT, end.output)
        return Ending("cancelled")
    if end.how == "raised":
        return Ending("failed", _LIMITS.get(end.reason, "error"), end.error, end.output)
    return _of_output(end.output or NO_OUTPUT, timeout)


def _of_output(output: Output, timeout: TimeoutChoice) -> Ending:
    reason = str(output.get("terminate_reason"))
    if reason not in _FAILURES:
        return Ending("completed", "goal", None, output)
    return Ending("failed", _FAILURES[reason], _error(reason, output, timeout), output)


def _error(reason: str, output: Output, timeout: TimeoutChoice) -> str:
    if reason == "TIMEOUT" and timeout.effective is not None:
        return timeout.text
    return output.get("final_message") or f"Subagent ended with {reason}."
