"""Limits that hold for one runner."""

import pytest

from sidecar.api.errors import LimitReached
from sidecar.subagents.limits.runner_quota import RunnerQuota


def test_a_runner_has_as_many_runs_as_its_limit() -> None:
    room = RunnerQuota(lambda: {"model": 2})
    for task_id in ("a", "b"):
        room.check("model")
        room.take("model", task_id)
    with pytest.raises(LimitReached, match="perRunnerMax") as caught:
        room.check("model")
    assert caught.value.data == {"running": 2, "max": 2}
    room.release("a")
    room.release("a")
    assert room.has("model")


def test_other_runners_and_minus_one_have_no_limit() -> None:
    room = RunnerQuota(lambda: {"model": -1, "none": 0})
    for number in range(20):
        room.take("model", f"model {number}")
        room.take("other", f"other {number}")
    assert (room.has("model"), room.has("other"), room.has("none")) == (True, True, False)
