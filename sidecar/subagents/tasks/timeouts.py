"""Choose the time limit of a run from the request and the settings, and explain it."""

import sys
from dataclasses import dataclass

from sidecar.javascript.printing import js_number

NONE = -1
"""Requests no limit."""
DEFAULT_SETTING = "asyncTasks.defaultTimeoutSeconds"
MAX_SETTING = "asyncTasks.maxTimeoutSeconds"


@dataclass(frozen=True, slots=True)
class TimeoutChoice:
    """The time limit of one run in seconds; `effective` is None without a limit.

    `requested` is the caller's value, or None. `sentence` explains a reduction.
    """

    effective: int | float | None
    requested: int | float | None = None
    clamped: bool = False
    sentence: str | None = None

    @property
    def text(self) -> str:
        """The error of a run that reached the limit, with the remedy; requires a limit."""
        assert self.effective is not None, "no limit, no timeout"
        return (
            f"Subagent terminated by TIMEOUT after {js_number(self.effective)}s. "
            "The effective timeout is bounded by the timeout_seconds parameter and the "
            f"{MAX_SETTING} / {DEFAULT_SETTING} settings; "
            "raise them to allow a longer run."
        )


def resolve(requested: int | float | None, default: int | float, maximum: int | float) -> TimeoutChoice:
    """Return the requested limit, else the default, reduced to the maximum.

    Each value may be -1 for no limit. Raises ValueError naming a value that is neither -1 nor a finite
    number above 0.
    """
    check_seconds(DEFAULT_SETTING, default)
    check_seconds(MAX_SETTING, maximum)
    if requested is not None:
        check_seconds("timeout_seconds", requested)
    asked = default if requested is None else requested
    if maximum == NONE:
        return TimeoutChoice(None if asked == NONE else asked, requested)
    if asked != NONE and asked <= maximum:
        return TimeoutChoice(asked, requested)
    return TimeoutChoice(maximum, requested, True, _reduction(requested, default, maximum))


def check_seconds(name: str, value: int | float) -> None:
    """Raise ValueError naming `name` unless the value is -1 or a finite number above 0."""
    problem = seconds_problem(value)
    if problem is not None:
        raise ValueError(f"Invalid {name}: {problem}")


def seconds_problem(value: int | float) -> str | None:
    """Return the problem with a time limit in seconds and the remedy; None if it is valid."""
    # `math.isfinite` raises for an integer that is too large for a double.
    if value == NONE or 0 < value <= sys.float_info.max:
        return None
    return f"{js_number(value)}. Give -1 for no limit of its own, or a finite number of seconds above 0."


def _reduction(requested: int | float | None, default: int | float, maximum: int | float) -> str:
    asked = (
        f"the configured default ({DEFAULT_SETTING} = {_seconds(default)})"
        if requested is None
        else _seconds(requested)
    )
    return (
        f"Requested timeout {asked} was reduced to the configured ceiling of {js_number(maximum)}s. "
        f"Raise {MAX_SETTING} to allow a longer run."
    )


def _seconds(value: int | float) -> str:
    return "-1 (unlimited)" if value == NONE else f"{js_number(value)}s"
