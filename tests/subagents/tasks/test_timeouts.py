"""Which time limit a run gets, and what is reported of it."""

import math

import pytest

from sidecar.subagents.tasks.timeouts import resolve

CEILING = (
    "was reduced to the configured ceiling of 1800s. "
    "Raise asyncTasks.maxTimeoutSeconds to allow a longer run."
)


@pytest.mark.parametrize(
    ("requested", "default", "maximum", "effective", "clamped"),
    [
        (300, 900, 1800, 300, False),
        (3600, 900, 1800, 1800, True),
        (1800, 900, 1800, 1800, False),
        (-1, 900, 1800, 1800, True),
        (None, 900, 1800, 900, False),
        (None, -1, 1800, 1800, True),
        (None, 3600, 1800, 1800, True),
        (-1, 900, -1, None, False),
        (None, -1, -1, None, False),
        (3600, 900, -1, 3600, False),
    ],
)
def test_the_limit_follows_request_default_and_ceiling(
    requested: float | None, default: float, maximum: float, effective: float | None, clamped: bool
) -> None:
    choice = resolve(requested, default, maximum)
    assert (choice.effective, choice.requested, choice.clamped) == (effective, requested, clamped)
    assert (choice.sentence is not None) == clamped


@pytest.mark.parametrize(
    ("requested", "default", "asked"),
    [
        (3600.0, 900, "3600s"),
        (-1, 900, "-1 (unlimited)"),
        (None, 3600, "the configured default (asyncTasks.defaultTimeoutSeconds = 3600s)"),
        (None, -1, "the configured default (asyncTasks.defaultTimeoutSeconds = -1 (unlimited))"),
    ],
)
def test_a_reduction_is_reported(requested: float | None, default: float, asked: str) -> None:
    assert resolve(requested, default, 1800).sentence == f"Requested timeout {asked} {CEILING}"


def test_the_timeout_text_names_the_settings() -> None:
    assert resolve(0.5, 900, 1800).text == (
        "Subagent terminated by TIMEOUT after 0.5s. The effective timeout is bounded by the timeout_seconds "
        "parameter and the asyncTasks.maxTimeoutSeconds / asyncTasks.defaultTimeoutSeconds settings; raise "
        "them to allow a longer run."
    )


@pytest.mark.parametrize("bad", [0, -2, math.nan, math.inf, -0.5])
def test_an_invalid_limit_is_refused_by_its_name(bad: float) -> None:
    with pytest.raises(ValueError, match="Invalid timeout_seconds"):
        resolve(bad, 900, 1800)
    with pytest.raises(ValueError, match=r"asyncTasks\.defaultTimeoutSeconds"):
        resolve(None, bad, 1800)
    with pytest.raises(ValueError, match=r"asyncTasks\.maxTimeoutSeconds"):
        resolve(None, 900, bad)
