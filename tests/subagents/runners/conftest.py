"""Real processes for the runners' tests, and the proof after each test that none is left."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pytest

from sidecar.api.runs.permissions import Policy
from sidecar.api.settings import RunnerSettings
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.runners.acp.restart import RestartableRun
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.command.run import CommandRun
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runners.contract import FormerSession, RunObserver, RunResult, RunSpec
from sidecar.subagents.runners.process.marker import find, sweep


@dataclass
class Started:
    """One run under test and what it has emitted."""

    task_id: str
    events: list[dict[str, Any]] = field(default_factory=list)
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    run: CommandRun | RestartableRun = field(init=False)
    has_ended: bool = False

    async def emit(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        self.shown.set()

    def text(self, kind: str = "message") -> str:
        return "".join(event["text"] for event in self.events if event["type"] == kind)

    async def until_it_speaks(self) -> None:
        async with asyncio.timeout(10):
            await self.shown.wait()

    async def result(self) -> RunResult:
        async with asyncio.timeout(40):
            result = await self.run.result()
        self.has_ended = True
        return result

    async def dispose(self) -> None:
        """Wait for the end of the processes, as the orchestrator does for every run."""
        await self.run.stop(5.0)

    async def stop(self, limit: float) -> float:
        """Stop the run and return how long that took, in seconds."""
        began = time.monotonic()
        await self.run.stop(limit)
        self.has_ended = True
        return time.monotonic() - began


Start = Callable[..., Awaitable[Started]]


@pytest.fixture
def task_ids() -> list[str]:
    """The ids of the test's runs; no process may carry one of them at the end."""
    return []


@pytest.fixture
async def start(task_ids: list[str], tmp_path: Path) -> AsyncIterator[Start]:
    started: list[Started] = []

    async def start(
        *argv: str,
        prompt: str = "",
        format: Literal["text", "events"] = "text",
        env: dict[str, str] | None = None,
        emit: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
        **constraints: Any,
    ) -> Started:
        new = Started(str(uuid4()))
        task_ids.append(new.task_id)
        runner = CommandRunner(
            "test", RunnerSettings(type="command", command=list(argv), format=format, env=env or {})
        )
        spec = RunSpec(new.task_id, prompt, tmp_path, constraints=RunConstraints(**constraints))
        new.run = await runner.start(spec, emit or new.emit)
        started.append(new)
        return new

    yield start
    found = find(task_ids)
    for new in started:
        await new.run.stop(1.0)
    sweep(task_ids, 2.0)
    assert not found, f"processes left by a run: {found}"


@pytest.fixture
def python() -> tuple[str, ...]:
    """The quickest way to run Python code in a child: append the code."""
    return (sys.executable, "-I", "-S", "-c")


AGENTS = Path(__file__).parents[2] / "agents"


@dataclass
class Person(RunObserver):
    """Attends a run as a person would: notes what it receives, answers with the option named."""

    chooses: str | None = None
    refuses_because: str | None = None
    questions: list[Question] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    is_ready: asyncio.Event = field(default_factory=asyncio.Event)
    taken_back: int = 0
    signs_of_life: int = 0

    def active(self) -> None:
        self.signs_of_life += 1

    configurations: list[tuple[str | None, str | None]] = field(default_factory=list)
    """Each mode with its model that were reported."""
    reconfigured: asyncio.Event = field(default_factory=asyncio.Event)

    def configured(self, *, mode: str | None, model: str | None, effort: str | None = None) -> None:
        self.configurations.append((mode, model))
        if len(self.configurations) > 1:
            self.reconfigured.set()

    def ready(self, *, silence_counts: bool) -> None:
        self.is_ready.set()

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        self.asked.set()
        if self.refuses_because is not None:
            return Answer.denial(question, self.refuses_because)
        if self.chooses is not None:
            return Answer(question.option(self.chooses))
        try:
            await asyncio.Event().wait()
        finally:
            self.taken_back += 1
        raise AssertionError("never answered")


StartAgent = Callable[..., Awaitable[Started]]


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
async def agent(task_ids: list[str], tmp_path: Path, person: Person) -> AsyncIterator[StartAgent]:
    """Start `raw.py SCENARIO...`, or with a prompt `scripted.py`, as an agent of the `acp` runner."""
    started: list[Started] = []

    async def start(
        *scenario: str,
        prompt: str = "",
        model: str | None = None,
        program: str = "",
        name: str = "test",
        policy: Policy = "ask",
        former: FormerSession | None = None,
        emit: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
        **constraints: Any,
    ) -> Started:
        new = Started(str(uuid4()))
        task_ids.append(new.task_id)
        path = AGENTS / (program or ("raw.py" if scenario else "scripted.py"))
        command = [sys.executable, str(path), *scenario]
        env = {"PYTHONPATH": str(AGENTS.parents[1])}
        runner = AcpRunner(name, RunnerSettings(type="acp", command=command, env=env))
        spec = RunSpec(
            new.task_id,
            prompt or "do it",
            tmp_path,
            model=model,
            observer=person,
            constraints=RunConstraints(**constraints),
            former=former,
            policy=policy,
        )
        new.run = await runner.start(spec, emit or new.emit)
        started.append(new)
        return new

    yield start
    for each in started:
        if each.has_ended:
            await each.dispose()
    found = find([each.task_id for each in started if each.has_ended])
    for new in started:
        await new.run.stop(2.0)
    left = find(task_ids)
    sweep(task_ids, 2.0)
    assert not found + left, f"processes left by a run: {found + left}"
