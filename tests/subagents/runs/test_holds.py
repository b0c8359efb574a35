"""Which ends of runs hold the queue of their runner, and the clock of the hold."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sidecar.api.runs.async_tasks import AsyncTask, Progress, Waiting
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.runs.holds import Account, RunnerHolds, account_of
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.outcome import HOST_EXIT, Outcome, cancelled, failed

ACCOUNT = account_of("r", None)
REFUSED = Outcome("failed", "error", "slow down", "rateLimit", retry_after_seconds=1)


class Holds(RunnerHolds):
    """Holds with a clock that the test moves."""

    def __init__(self) -> None:
        self.ms = 0
        super().__init__(lambda: self.ms, lambda: 5_000 + self.ms)
        self.signals: list[Account] = []
        self.changed.subscribe(self.signals.append)

    def end(self, task_id: str, outcome: Outcome) -> None:
        """Watch a run that ends like this."""
        self.enter(task_id, ACCOUNT)
        self.conclude(task_id, outcome)

    def conclude(self, task_id: str, outcome: Outcome) -> None:
        task = AsyncTask(
            id=task_id,
            subagent_name="a",
            goal_prompt="g",
            status="running",
            progress=Progress(last_activity_at=0),
            runner="r",
            workspace_dir="/",
        )
        run = Run(RunRecord(task=task, origin="client", request={}))
        run.conclude(outcome)
        self.run_concluded(run)


@pytest.fixture
async def holds() -> AsyncIterator[Holds]:
    holds = Holds()
    yield holds
    holds.close()


async def test_a_run_that_a_limit_of_the_model_ends_holds_the_others(holds: Holds) -> None:
    holds.end("a", REFUSED)
    assert holds.waiting(ACCOUNT) == Waiting(reason="rateLimit", until=6_000)
    assert holds.signals == [ACCOUNT]


@pytest.mark.parametrize(
    "outcome",
    [HOST_EXIT, cancelled("user"), failed("error", "no", kind="auth"), Outcome("completed", "goal")],
)
async def test_other_ends_hold_nothing(holds: Holds, outcome: Outcome) -> None:
    holds.end("a", outcome)
    assert holds.may_start(ACCOUNT)
    assert holds.signals == []


async def test_a_probe_that_reaches_its_goal_in_silence_opens_the_queue(holds: Holds) -> None:
    holds.end("a", REFUSED)
    holds.ms = 1_000
    holds.enter("b", ACCOUNT)
    assert holds.waiting(ACCOUNT) == Waiting(reason="rateLimit")
    holds.conclude("b", Outcome("completed", "goal"))
    holds.enter("c", ACCOUNT)
    assert holds.waiting(ACCOUNT) is None


async def test_a_probe_that_is_cancelled_lets_the_next_one_probe(holds: Holds) -> None:
    holds.end("a", REFUSED)
    holds.ms = 1_000
    holds.end("b", cancelled("user"))
    assert holds.may_start(ACCOUNT)
    holds.enter("c", ACCOUNT)
    assert not holds.may_start(ACCOUNT)


async def test_a_hold_ends_by_itself() -> None:
    holds = RunnerHolds()
    ended = asyncio.Event()
    holds.changed.subscribe(lambda account: ended.set() if holds.may_start(account) else None)
    holds.enter("a", ACCOUNT)
    retrying = {"attempt": 1, "text": "429", "retryAfterSeconds": 0}
    holds.take("a", {"type": "log", "text": "", "retrying": retrying})
    assert not holds.may_start(ACCOUNT)
    async with asyncio.timeout(20):
        await ended.wait()
    holds.close()


async def test_events_of_unknown_runs_are_ignored(holds: Holds) -> None:
    holds.take("x", {"type": "log", "text": "", "retrying": {"attempt": 1, "text": "429"}})
    holds.leave("x")
    assert holds.may_start(ACCOUNT)
