"""What the end of a run means for its task."""

from typing import Any

import pytest

from sidecar.subagents.runs.lifecycle import run_end
from sidecar.subagents.tasks.launching import Abort
from sidecar.subagents.tasks.outcome import (
    HOST_EXIT,
    NO_OUTPUT,
    Outcome,
    RunFailed,
    cancelled,
    failed,
    of_output,
    timed_out,
)
from sidecar.subagents.tasks.timeouts import TimeoutChoice

LIMIT = TimeoutChoice(900)
GOAL = {"terminate_reason": "GOAL", "emitted_vars": {"k": "v"}, "final_message": "done"}


@pytest.mark.parametrize(
    ("output", "status", "reason", "error"),
    [
        (GOAL, "completed", "goal", None),
        ({"terminate_reason": "success"}, "completed", "goal", None),
        ({"terminate_reason": "ERROR", "final_message": "no key"}, "failed", "error", "no key"),
        ({"terminate_reason": "ERROR", "final_message": ""}, "failed", "error", "Subagent ended with ERROR."),
        ({"terminate_reason": "MAX_TURNS"}, "failed", "maxTurns", "Subagent ended with MAX_TURNS."),
        ({"terminate_reason": "TIMEOUT", "final_message": "m"}, "failed", "timeout", LIMIT.text),
    ],
)
def test_only_a_goal_reached_is_completed_and_output_is_kept(
    output: Any, status: Any, reason: Any, error: str | None
) -> None:
    assert of_output(output, LIMIT) == Outcome(status, reason, error, output=output)


def test_no_output_is_an_error() -> None:
    assert of_output(None, LIMIT) == failed("error", "Subagent ended with ERROR.", NO_OUTPUT)


def test_a_timeout_of_the_runs_own_without_a_limit_has_no_limit_to_name() -> None:
    outcome = of_output({"terminate_reason": "TIMEOUT"}, TimeoutChoice(None))
    assert outcome.error == "Subagent ended with TIMEOUT."


@pytest.mark.parametrize("error", [RuntimeError("torn down"), RunFailed("429", "rateLimit"), None])
@pytest.mark.parametrize(
    "forced",
    [timed_out(LIMIT), HOST_EXIT, failed("budget", "too much"), cancelled("user"), cancelled("model")],
)
def test_a_forced_end_wins_over_what_the_run_raised_or_returned(
    forced: Outcome, error: Exception | None
) -> None:
    abort = Abort()
    abort.abort(forced)
    end = run_end(abort, GOAL, error, LIMIT)
    assert (end.outcome, end.returned) == (forced.with_output(GOAL), False)


def test_a_cancelled_run_has_no_output_of_its_own() -> None:
    abort = Abort()
    abort.abort(cancelled("model", "enough", "me"))
    end = run_end(abort, GOAL, None, LIMIT)
    assert end.outcome == Outcome("cancelled", "cancelledByModel", words="enough", client_id="me")
    assert end.output == GOAL


def test_what_a_run_raises_is_its_error_with_its_kind() -> None:
    end = run_end(Abort(), GOAL, RunFailed("429", "rateLimit"), LIMIT)
    assert end.outcome == failed("error", "429", GOAL, "rateLimit")
    assert run_end(Abort(), None, OSError("gone"), LIMIT).outcome == failed("error", "gone")
