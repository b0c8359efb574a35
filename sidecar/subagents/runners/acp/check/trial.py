"""Run an agent once, outside of a Host, and note what it does."""

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from sidecar.api.runs.permissions import Policy
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.questions.question import AgentQuestion, Reply
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import RunObserver, RunResult, RunSpec
from sidecar.subagents.runners.process.marker import find

START_SECONDS = 60.0
STOP_SECONDS = 5.0
_EXIT_SECONDS = 5.0
"""How long helpers that an agent started may take to exit after it: on a busy machine, seconds."""
_POLL_SECONDS = 0.1
_SPOKEN_SECONDS = 0.6
"""How long an agent that began to speak may continue before it is stopped: it may end by itself."""


class _Watcher(RunObserver):
    """Answers every request in the same way, declines questions, and notes both and the configuration."""

    def __init__(self, task_id: str, *, allows: bool) -> None:
        self.mode: str | None = None
        self.ended_turn: bool | None = None
        self.agent: int | None = None
        self._left: asyncio.Task[list[int]] | None = None
        self._task_id = task_id
        self.questions: list[str] = []
        self.inquiries: list[str] = []
        self._allows = allows

    def configured(self, *, mode: str | None, model: str | None, effort: str | None = None) -> None:
        self.mode = mode

    async def before_kill(self, *, ended_turn: bool) -> None:
        if self._left is None:
            self.ended_turn = ended_turn
            self._left = asyncio.create_task(asyncio.to_thread(_left_by, self.agent, self._task_id))
        await self._left

    @property
    def left(self) -> list[int]:
        """The processes that the agent left; empty if they were not determined."""
        return self._left.result() if self._left is not None and self._left.done() else []

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question.title)
        once = (each for each in question.options if each.kind == "allow_once")
        option = next(once, None) if self._allows else None
        return Answer.denial(question, "this is a check") if option is None else Answer(option)

    async def ask_user(self, question: AgentQuestion) -> Reply:
        self.inquiries.append(question.title)
        return Reply("decline", reason="Declined: this is a check.")


@dataclass
class Trial:
    """What happened in one run.

    `questions` are the permission requests, `inquiries` the questions to a person, and `left` the processes
    that it left behind, before the sidecar killed any. `was_stopped` is whether the prompt was still running
    when the run was stopped, and `ended_turn` whether the agent ended it itself.
    """

    result: RunResult | None = None
    error: str | None = None
    seconds: float = 0
    stop_seconds: float | None = None
    mode: str | None = None
    questions: list[str] = field(default_factory=list)
    inquiries: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    was_stopped: bool = False
    ended_turn: bool | None = None

    @property
    def text(self) -> str:
        """All text of the agent."""
        return "".join(event["text"] for event in self.events if event["type"] == "message")

    @property
    def has_usage(self) -> bool:
        """Whether the agent reported tokens."""
        return any(event["type"] == "usage" for event in self.events)


async def open_session(runner: AcpRunner, workspace: Path, policy: Policy, model: str | None = None) -> Trial:
    """Start an agent and open a session in a mode that fits the policy, without a prompt."""
    spec = RunSpec(str(uuid4()), "", workspace, opens_only=True, policy=policy, model=model)
    return await _run(runner, spec, START_SECONDS)


async def run_prompt(
    runner: AcpRunner,
    workspace: Path,
    prompt: str,
    limit: float,
    *,
    model: str | None = None,
    allows: bool = False,
    stops_at_text: bool = False,
) -> Trial:
    """Run one prompt under the policy `ask`, for at most `limit` seconds.

    Every request is allowed or denied. `stops_at_text` stops the run at the agent's first words.
    """
    spec = RunSpec(str(uuid4()), prompt, workspace, model=model)
    return await _run(runner, spec, limit, allows=allows, stops_at_text=stops_at_text)


async def _run(
    runner: AcpRunner, spec: RunSpec, limit: float, *, allows: bool = False, stops_at_text: bool = False
) -> Trial:
    trial, spoken = Trial(), asyncio.Event()
    watcher = _Watcher(spec.task_id, allows=allows)

    async def emit(event: dict[str, Any]) -> None:
        trial.events.append(event)
        if stops_at_text and event["type"] == "message":
            spoken.set()

    began = time.monotonic()
    try:
        run = await runner.start(replace(spec, observer=watcher), emit)
    except Exception as error:
        trial.error = str(error)
        return trial
    watcher.agent = run.pid
    ended, stopped = asyncio.ensure_future(run.result()), asyncio.ensure_future(spoken.wait())
    try:
        await asyncio.wait({ended, stopped}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if stopped.done():
            await asyncio.wait({ended}, timeout=_SPOKEN_SECONDS)
        trial.seconds, trial.was_stopped = time.monotonic() - began, not ended.done()
        if not ended.done():
            trial.error = None if spoken.is_set() else f"it did not end within {limit:.0f} s"
    finally:
        stopped.cancel()
        await run.stop(STOP_SECONDS)
    trial.stop_seconds = time.monotonic() - began - trial.seconds
    trial.result = await run.result()
    trial.error = trial.error or trial.result.error
    trial.mode, trial.questions, trial.inquiries = watcher.mode, watcher.questions, watcher.inquiries
    trial.ended_turn = watcher.ended_turn
    trial.left = [*dict.fromkeys([*watcher.left, *await asyncio.to_thread(find, [spec.task_id])])]
    return trial


def _left_by(agent: int | None, task_id: str) -> list[int]:
    """Return the processes of a run that stay although they do not belong to its agent.

    If the agent has exited, none of them belong to it. Blocking.
    """
    deadline = time.monotonic() + _EXIT_SECONDS
    while True:
        found = find([task_id])
        left = [pid for pid in found if agent not in found or _group_of(pid) != agent]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(_POLL_SECONDS)


def _group_of(pid: int) -> int | None:
    """Return the process group of a process; that of the agent has its number. None if it has exited."""
    if sys.platform == "win32":
        return None
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
