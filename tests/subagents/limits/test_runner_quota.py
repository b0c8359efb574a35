"""Limits that hold for one runner."""

import pytest

from sidecar.api.errors import LimitReached
from sidecar.app.settings import SettingsStore
from sidecar.subagents.limits.runner_quota import RunnerQuota


def quota_of(limits: dict[str, int]) -> RunnerQuota:
    return RunnerQuota(SettingsStore({"asyncTasks": {"perRunnerMax": limits}}))


def test_a_runner_has_as_many_runs_as_its_limit() -> None:
    quota = quota_of({"model": 2})
    for task_id in ("a", "b"):
        quota.check("model")
        quota.take("model", task_id)
    with pytest.raises(LimitReached, match=r"'model' has 2 runs, .*perRunnerMax allows 2") as caught:
        quota.check("model")
    assert caught.value.data == {"running": 2, "max": 2}
    quota.release("a")
    quota.release("a")
    assert quota.has("model")


def test_other_runners_and_minus_one_have_no_limit() -> None:
    quota = quota_of({"model": -1, "none": 0})
    for number in range(20):
        quota.take("model", f"model {number}")
        quota.take("other", f"other {number}")
    assert (quota.has("model"), quota.has("other"), quota.has("none")) == (True, True, False)
