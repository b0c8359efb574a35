"""Launches that a cancel of everything meets before they are recorded."""

import pytest

from sidecar.app.launching.gate import LaunchGate
from sidecar.subagents.runs.lifecycle import LaunchAborted


def test_a_pending_launch_is_reached_and_counted() -> None:
    gate = LaunchGate()
    with gate.open() as launch:
        assert gate.cancel(lambda task_id: False) == 1
        with pytest.raises(LaunchAborted, match="The launch of subagent 'scout' was cancelled"):
            launch.enter("a", "scout")


def test_one_that_is_recorded_already_is_flagged_but_counted_as_a_run() -> None:
    gate = LaunchGate()
    with gate.open() as launch:
        launch.enter("a", "scout")
        assert gate.cancel(lambda task_id: task_id == "a") == 0
        assert launch.is_cancelled


def test_launches_before_and_after_are_left_alone() -> None:
    gate = LaunchGate()
    with gate.open() as before:
        pass
    assert gate.cancel(lambda task_id: False) == 0
    with gate.open() as after:
        after.enter("a", "scout")
    assert not before.is_cancelled
