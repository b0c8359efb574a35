"""What the end of a run means for its task."""

from typing import Any

import pytest

from sidecar.subagents.driving import RunEnd
from sidecar.subagents.endings import HOST_EXIT_TEXT, NO_OUTPUT, Ending, ending_of
from sidecar.subagents.timeouts import TimeoutChoice

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
    assert ending_of(RunEnd("returned", output), LIMIT) == Ending(status, reason, error, output)


def test_no_output_is_an_error() -> None:
    expected = Ending("failed", "error", "Subagent ended with ERROR.", NO_OUTPUT)
    assert ending_of(RunEnd("returned", None), LIMIT) == expected


def test_a_timeout_of_the_runs_own_without_a_limit_has_no_limit_to_name() -> None:
    end = RunEnd("returned", {"terminate_reason": "TIMEOUT"})
    assert ending_of(end, TimeoutChoice(None)).error == "Subagent ended with TIMEOUT."


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (RunEnd("timeout", GOAL), Ending("failed", "timeout", LIMIT.text, GOAL)),
        (RunEnd("raised", GOAL, "broke"), Ending("failed", "error", "broke", GOAL)),
        (RunEnd("aborted", GOAL, reason="hostExit"), Ending("failed", "hostExit", HOST_EXIT_TEXT, GOAL)),
        (RunEnd("aborted", GOAL, reason="caller"), Ending("cancelled")),
    ],
)
def test_forced_ends_say_what_forced_them(end: RunEnd, expected: Ending) -> None:
    assert ending_of(end, LIMIT) == expected
