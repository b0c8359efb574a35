"""A node whose disk is full: the run ends, its end is known, and its changes wait."""

from typing import NoReturn

import pytest

from sidecar.subagents.permissions.question import Answer, Option, Question
from sidecar.subagents.runners.contract import RunResult
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import FakeTree
from tests.fleet.remote.test_remote_run import counting

YES = Option("yes", "Allow", "allow_once")


def test_a_run_on_a_full_disk_asks_and_ends(world: MakeWorld) -> None:
    async def main() -> None:
        async def script(agent: ScriptedRun) -> None:
            await agent.open()
            await agent.count(3)
            here.body._run.journal._write = lambda data: False  # type: ignore[method-assign]
            here.body._run.tree.is_full = True  # type: ignore[attr-defined]
            await agent.count(100)
            await agent.observer.ask(Question(request_id="1", title="write", options=(YES,)))

        here = world(script)
        run = await here.launch()
        await until(lambda: here.person.asked)
        here.person.answers.put_nowait(Answer(YES))
        assert await run.result() == RunResult("GOAL", "done", {}, None)
        assert here.values == [1, 2, 3, 1] and "the node's disk" in here.log
        assert "could not save the changes of this run: the disk is full" in here.log

    run_virtually(main)


def full(*_: object) -> NoReturn:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("method", "problem"),
    [("write", "node 'A' could not keep the workspace"), ("check_out", "the node could not run it")],
)
def test_a_workspace_that_is_larger_than_the_disk_ends_the_run_with_the_remedy(
    world: MakeWorld, monkeypatch: pytest.MonkeyPatch, method: str, problem: str
) -> None:
    async def main() -> None:
        monkeypatch.setattr(FakeTree, method, full)
        here = world(counting(3))
        result = await (await here.launch()).result()
        assert (result.terminate_reason, result.is_lost) == ("ERROR", False)
        assert str(result.error).startswith(
            f"{problem}: [Errno 28] No space left on device; make room on the"
        )
        assert here.agents.runs == []
        await until(here.is_clean)

    run_virtually(main)
