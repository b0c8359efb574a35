"""One run on its node: start the runner there, keep its events in a journal, and save its changes."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from sidecar.fleet.access import remove_tree
from sidecar.fleet.environment import agent_environment
from sidecar.fleet.equipment.node_attachments import NodeAttachments
from sidecar.fleet.equipment.node_equipment import NodeSecrets, node_equipment
from sidecar.fleet.node_journal import NodeJournal
from sidecar.fleet.node_observer import NodeObserver
from sidecar.fleet.tree import tree_notes
from sidecar.fleet.tree.kept_changes import KeptChanges
from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.runners.contract import RunHandle, Runner, RunnerUnavailable, RunResult, RunSpec
from sidecar.subagents.runners.registry import build_runners, unlisted_runner
from sidecar.subagents.runners.remote.full_disk import with_remedy
from sidecar.subagents.runners.remote.job import Job, filled, missing_variables, to_plain
from sidecar.user_dirs import user_dir

logger = logging.getLogger(__name__)

FOLDER_VARIABLE = "SIDECAR_FLEET_DIR"
_STOP_SECONDS = 5.0
_TIMED_OUT = "the run reached its time limit, and its node stopped it"
_FULL = {
    "type": "log",
    "stream": "stderr",
    "text": "The node dropped the following events: the journal of this run or the node's disk is full.\n",
}
_REMOVED = "The folder of this run was removed on its node before the end, so its changes are lost.\n"
_UNDELIVERED = "A message came after the agent's last turn and was not delivered: {text}\n"


def fleet_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where a node keeps runs and caches: SIDECAR_FLEET_DIR, else the user's data directory."""
    named = environment.get(FOLDER_VARIABLE)
    return Path(named) if named else Path(user_dir("data", environment)) / "fleet"


def node_runner(name: str, job: Job | None, environment: Mapping[str, str]) -> Runner:
    """Return the runner of a job, or of a known agent. Raises RunnerUnavailable with the remedy."""
    if job is None:
        runner = unlisted_runner(name, environment)
    else:
        if missing := missing_variables(job.runner.env, environment):
            reason = f"the node does not set {', '.join(missing)}; set it where Ray is started on the node"
            raise RunnerUnavailable(f"runner {name!r}: {reason}")
        settings = msgspec.structs.replace(job.runner, env=filled(job.runner.env, environment))
        runner = build_runners({name: settings}, environment).get(name)
    if runner is None:
        reason = f"the node does not know this agent; set runners.{name}.command"
        raise RunnerUnavailable(f"runner {name!r}: {reason}")
    return runner


@dataclass
class _Limit:
    """The time limit that the node applies itself. It pauses while questions are open."""

    left: float | None
    since: float = 0.0
    timer: asyncio.TimerHandle | None = None


class NodeRun:
    """One run. `start` starts the agent; everything after that is in the journal.

    A line of the journal is one JSON object: `begun` when the agent starts, `event`, `ready`, `session`,
    `configured`, `ask`, `withdrawn`, and at the end `result`, with the `commit` of the changes.
    """

    def __init__(self, task_id: str, fleet: Path, repository: str, prefix: str, base: str) -> None:
        self.task_id = task_id
        self.folder = fleet / "runs" / task_id
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.tree = NodeTree(fleet, self.folder, repository, prefix, base)
        self.attachments = NodeAttachments(self.folder)
        self.journal = NodeJournal(self.folder / "journal.ndjson")
        self.changed = asyncio.Event()
        self.activity = 0
        self.over = asyncio.Event()
        self.started = asyncio.Event()
        self._base = base
        self._has_tree = self._has_begun = False
        self._changes = KeptChanges(self.folder, base)
        self._messages: set[str] = set()
        self._last_turn: asyncio.Task[None] | None = None
        self._observer = NodeObserver(self._record, self._note_activity, self.tree.path)
        self._observer.questions_changed = self._questions_changed
        self._equipment = Equipment()
        self._secrets = NodeSecrets()
        self._observer.without_secrets = self._secrets.without
        self._handle: RunHandle | None = None
        self._work: asyncio.Task[None] | None = None
        self._stop_limit: float | None = None
        self._limit = _Limit(None)
        self._was_full = False
        self.is_unsaved = False
        """Whether the changes of the ended run could not be saved so far."""
        self._is_timed_out = False

    def start(self, job: Job) -> None:
        """Start the run once; later calls do nothing."""
        if not self.has_started:
            self.started.set()
            self._limit = _Limit(job.limit_seconds)
            self._work = asyncio.create_task(self._execute(job), name=f"run {self.task_id}")

    @property
    def has_started(self) -> bool:
        """Whether the agent was started, or will not be."""
        return self.started.is_set()

    @property
    def is_over(self) -> bool:
        """Whether the last line is in the journal."""
        return self.over.is_set()

    def state(self) -> dict[str, Any]:
        """Return what a sidecar that connects must know besides the lines."""
        channel = None if self._handle is None else self._handle.channel
        listens = channel is not None and channel.listens
        left = self._limit.left
        if left is not None and self._limit.timer is not None:
            left -= asyncio.get_running_loop().time() - self._limit.since
        return {
            **self._observer.state(),
            "listens": listens,
            "started": self.has_started,
            "begun": self._has_begun,
            "timeLeft": left,
            "last": self.journal.last,
        }

    def send(self, text: str, message: str) -> None:
        """Queue a message for the agent, once; an undelivered one is noted in the events."""
        if message in self._messages:
            return
        self._messages.add(message)
        channel = None if self._handle is None else self._handle.channel
        if channel is None or not channel.send(text):
            self._log(_UNDELIVERED.format(text=text))

    def answer(self, number: str, answer: Any) -> bool:
        """Answer an open question; return False if it is not open."""
        return self._observer.answer(number, answer)

    async def last_turn(self, missing: Sequence[str]) -> None:
        """Let the agent take its last turn, once, and wait for its end."""
        channel = None if self._handle is None else self._handle.channel
        if channel is None:
            return
        if self._last_turn is None:
            self._last_turn = asyncio.create_task(channel.last_turn(missing), name="last turn")
        await asyncio.shield(self._last_turn)

    async def stop(self, limit: float = _STOP_SECONDS) -> None:
        """Stop the agent within `limit` seconds; then the result is in the journal."""
        self._stop_limit = min(limit, self._stop_limit or limit)
        if self._handle is not None:
            await self._handle.stop(limit)
        elif not self.has_started:
            self.started.set()
            await self._finish(RunResult("ERROR", None, {}, "the run was stopped before its agent started"))
        if self._work is not None:
            await asyncio.wait({self._work}, timeout=limit)

    async def take(self, offset: int) -> dict[str, Any]:
        """Return a piece of the changes of an ended run; see `KeptChanges`."""
        if self.is_over:
            with contextlib.suppress(Exception):  # the result says why they were not saved
                await asyncio.to_thread(self._changes.save, self.tree, self.task_id)
                self.is_unsaved = False
        return await asyncio.to_thread(self._changes.piece, offset)

    def discard(self) -> None:
        """Remove the folder of an ended run. Blocking."""
        self.journal.close()
        self.tree.release()
        remove_tree(self.folder)

    async def _execute(self, job: Job) -> None:
        self._resume_limit()
        try:
            result = await self._result_of(job)
        except Exception as error:
            logger.exception("run %s failed on its node", self.task_id)
            result = RunResult("ERROR", None, {}, with_remedy(f"the node could not run it: {error}"))
        await self._finish(result)

    async def _result_of(self, job: Job) -> RunResult:
        environment = agent_environment(os.environ)
        try:
            await self._make_tree()
            for text in await asyncio.to_thread(tree_notes.missing, self.tree):
                self._log(text)
            runner = node_runner(job.runner_name, job, environment)
            self._equipment = node_equipment(job, environment, self.tree.path, self.attachments)
            self._secrets.use(self._equipment)
            if self._stop_limit is not None:
                return RunResult("ERROR", None, {}, "the run was stopped before its agent started")
            self._has_begun = True
            self._record({"begun": True})
            self._handle = await runner.start(self._spec(job), self._emit)
        except RunnerUnavailable as error:
            return RunResult("ERROR", None, {}, error.message)
        if self._stop_limit is not None:
            await self._handle.stop(self._stop_limit)
        result = await self._handle.result()
        await self._handle.stop(_STOP_SECONDS)
        return result

    async def _make_tree(self) -> None:
        """Make the work tree; remove it if that fails, since it has no changes and the disk may be full."""
        try:
            await asyncio.to_thread(self.tree.check_out, self.task_id)
        except Exception:
            await asyncio.to_thread(self.tree.remove)
            raise
        self._has_tree = True

    def _spec(self, job: Job) -> RunSpec:
        return RunSpec(
            self.task_id,
            job.prompt,
            self.tree.working_directory,
            model=job.model,
            mode=job.mode,
            effort=job.effort,
            observer=self._observer,
            constraints=job.constraints,
            former=job.former,
            policy=job.policy,
            trusted=job.trusted,
            servers=self._equipment.servers,
            directories=self._equipment.directories,
            attachments=self._equipment.attachments,
        )

    async def _finish(self, result: RunResult) -> None:
        """Save the changes and write the result, the last line of the journal."""
        self._pause_limit()
        for event in self._secrets.last_events():
            self._record({"event": event})
        if self._is_timed_out:
            result = replace(result, terminate_reason="TIMEOUT", error=_TIMED_OUT)
        last: dict[str, Any] = {"result": self._secrets.without(to_plain(result))}
        try:
            last["commit"] = await self._saved()
        except Exception as error:  # the tree stays for another attempt
            logger.exception("the changes of run %s cannot be saved", self.task_id)
            last["unsaved"] = str(error)
            self.is_unsaved = True
        self._record(last)
        self.over.set()
        self.changed.set()

    async def _saved(self) -> str:
        """Save the changes and remove the tree; return their commit, the base if there is nothing to save."""
        if not self._has_tree:
            return self._base
        if not self.tree.is_whole:
            self._log(_REMOVED)
            return self._base
        commit = await asyncio.to_thread(self._changes.save, self.tree, self.task_id)
        for text in tree_notes.opened(self.tree):
            self._log(text)
        await asyncio.to_thread(self.tree.remove)
        return commit

    async def _emit(self, event: dict[str, Any]) -> None:
        for each in self._secrets.events(event):
            self._record({"event": each})

    def _log(self, text: str) -> None:
        self._record({"event": {"type": "log", "stream": "stderr", "text": text}})

    def _record(self, line: dict[str, Any]) -> None:
        """Write a line. Only events are dropped when the journal is full: the run depends on the others."""
        if not (self.journal.is_full and "event" in line):
            self.journal.append(msgspec.json.encode(line))
        elif not self._was_full:
            self._was_full = True
            self.journal.append(msgspec.json.encode({"event": _FULL}))
        self.changed.set()

    def _note_activity(self) -> None:
        self.activity += 1

    def _questions_changed(self, count: int) -> None:
        if count:
            self._pause_limit()
        else:
            self._resume_limit()

    def _resume_limit(self) -> None:
        limit, loop = self._limit, asyncio.get_running_loop()
        if limit.left is not None and limit.timer is None and not self.over.is_set():
            limit.since = loop.time()
            limit.timer = loop.call_later(limit.left, self._expire)

    def _pause_limit(self) -> None:
        limit = self._limit
        if limit.left is not None and limit.timer is not None:
            limit.left -= asyncio.get_running_loop().time() - limit.since
            limit.timer.cancel()
            limit.timer = None

    def _expire(self) -> None:
        self._is_timed_out = True
        self._expiring = asyncio.create_task(self.stop(), name=f"limit of {self.task_id}")
