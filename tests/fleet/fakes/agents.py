"""Agents on nodes, as scripts of the tests."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from sidecar.subagents.limits.constraints import RunnerOption
from sidecar.subagents.runners.contract import Emit, RunObserver, RunResult, RunSpec

STOPPED = RunResult("ERROR", None, {}, "the agent was stopped")


class ScriptedRun:
    """A run whose agent is a coroutine function, which gets this object."""

    pid = None

    def __init__(self, script: "Script", spec: RunSpec, emit: Emit) -> None:
        self.spec = spec
        self.observer: RunObserver = spec.observer
        self.messages: list[str] = []
        self.last_turns: list[list[str]] = []
        self.stops = 0
        self.listens = False
        self._emit = emit
        self._work: asyncio.Task[Any] = asyncio.create_task(script(self), name="agent")

    @property
    def channel(self) -> "ScriptedRun":
        return self

    async def say(self, text: str) -> None:
        """Write a message."""
        await self._emit({"type": "message", "role": "assistant", "text": text})

    async def count(self, last: int, pause: float = 0.0) -> None:
        """Emit the numbers up to `last`."""
        for number in range(1, last + 1):
            await self._emit({"type": "emit", "name": "n", "value": number})
            await asyncio.sleep(pause)

    async def open(self) -> None:
        """Be ready for messages."""
        self.listens = True
        self.observer.in_session("session")
        self.observer.ready(silence_counts=True)

    def send(self, text: str) -> bool:
        self.messages.append(text)
        return True

    async def steer(self, text: str) -> bool:
        return False

    async def last_turn(self, missing: Sequence[str]) -> None:
        self.last_turns.append(list(missing))
        await asyncio.sleep(1)

    async def result(self) -> RunResult:
        await asyncio.wait({self._work})
        if self._work.cancelled():
            return STOPPED
        return self._work.result() or RunResult("GOAL", "done", {}, None)

    async def stop(self, limit: float = 5.0) -> None:
        self.stops += 1
        self._work.cancel()


Script = Callable[[ScriptedRun], Coroutine[Any, Any, Any]]


class ScriptedRunner:
    """Start scripts; `runs` has those that were started."""

    name = type = "scripted"
    listens = True
    unsupported: Mapping[RunnerOption, str] = {}

    def __init__(self, script: Script) -> None:
        self._script = script
        self.runs: list[ScriptedRun] = []

    def check(self) -> None:
        """Do nothing."""

    async def start(self, spec: RunSpec, emit: Emit) -> ScriptedRun:
        self.runs.append(ScriptedRun(self._script, spec, emit))
        return self.runs[-1]
