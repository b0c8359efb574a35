"""What a gateway says of an error: its kind, and the words that matter."""

import pytest

from sidecar.fleet.cluster import Cluster
from sidecar.fleet.gateway_runs import GatewayRuns
from tests.fleet.fakes.ray import ActorDiedError, FakeRay


class TaskError(LookupError):
    """What Ray raises for an error in an actor: of the class of that error, which is its `cause`."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("Traceback (most recent call last): " + "File x " * 200 + str(cause))
        self.cause = cause


async def written(line: bytes) -> None:
    """Write nothing."""


@pytest.fixture
def runs() -> GatewayRuns:
    cluster = Cluster()
    cluster.ray = FakeRay([])
    return GatewayRuns(cluster, written)


def test_an_error_in_an_actor_does_not_mean_its_death(runs: GatewayRuns) -> None:
    assert runs.described(TaskError(KeyError("a"))) == {"kind": "failed", "reason": "'a'"}
    assert runs.described(LookupError("no run"))["kind"] == "gone"


def test_a_full_disk_is_named_without_the_traceback(runs: GatewayRuns) -> None:
    full = OSError(28, "No space left on device", "/runs/incoming.bundle")
    reason = "[Errno 28] No space left on device: '/runs/incoming.bundle'"
    assert runs.described(TaskError(full)) == {"kind": "failed", "reason": reason}


def test_the_end_of_a_long_error_is_kept(runs: GatewayRuns) -> None:
    died = runs.described(ActorDiedError("The actor died. " + "File x " * 200 + "No space left on device"))
    assert died["kind"] == "gone" and died["reason"].startswith("The actor died.")
    assert died["reason"].endswith("No space left on device") and len(died["reason"]) < 510


@pytest.mark.parametrize(
    ("problem", "remedy"),
    [("Read-only file system", ""), ("No space left on device", "; make room")],
)
def test_a_node_that_cannot_begin_a_run_is_named_without_the_traceback(
    runs: GatewayRuns, problem: str, remedy: str
) -> None:
    trace = "\x1b[36mray::run-1:RunActor.__init__()\x1b[39m (pid=7)\n  File x, line 1, in mkdir\n"
    error = f"The actor died because of an error raised in its creation task, {trace}OSError: {problem}"
    reason = runs.described(ActorDiedError(error))["reason"]
    assert reason.startswith(f"its node could not start it: OSError: {problem}{remedy}")
    assert "\x1b" not in reason
