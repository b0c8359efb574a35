"""A sidecar's side of runs, a gateway and a cluster in one process and in virtual time."""

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.runs.async_tasks import Changes, PlacementState
from sidecar.api.settings import FleetSettings, RunnerSettings
from sidecar.fleet import actor, node_run
from sidecar.fleet.actor import RunActor
from sidecar.fleet.leftovers import left_run, salvage, watcher
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.fleet.tree import kept_changes
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.runners.contract import RunObserver, RunSpec
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.gateway_process import GatewayProcess
from sidecar.subagents.runners.remote.git import GitError
from sidecar.subagents.runners.remote.job import Tree
from sidecar.subagents.runners.remote.leftovers import collect
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runners.remote.run import placing
from sidecar.subagents.runners.remote.run.remote_run import RemoteRun
from sidecar.subagents.runners.remote.runner import FoundRunner, RemoteRunner, kept
from tests.fleet.fakes.agents import Script, ScriptedRunner
from tests.fleet.fakes.gateway import FakeGateways
from tests.fleet.fakes.ray import FakeActor, FakeNode, FakeRay
from tests.fleet.fakes.virtual_time import in_line

RUN = "0d2f8a51-5a7c-4c4e-9b4e-3f1f8a9e6c11"
BASE = "ba5e" * 10
COMMIT = "c0de" * 10
CHANGES = f"# v2 git bundle\n-{BASE}\n{COMMIT} refs/sidecar/{RUN}\n\n".encode() + b"pack" * 100
BUNDLE = b"workspace" * 30
PIECE_BYTES = 100
"""The bundle travels in three pieces."""


class FakeTree:
    """A work tree without git; see `NodeTree`."""

    is_full = False

    def __init__(self, fleet: Path, folder: Path, repository: str, prefix: str, base: str) -> None:
        self.path = folder / "tree"
        self.working_directory = self.path
        self.opened: list[str] = []
        self.left_out: list[str] = []
        self._bundle = folder / "incoming.bundle"

    def known(self) -> list[str]:
        return []

    def write(self, offset: int, data: bytes) -> None:
        with self._bundle.open("wb" if offset == 0 else "r+b") as file:
            file.seek(offset)
            file.write(data)
            file.truncate()

    def check_out(self, task_id: str) -> None:
        assert self._bundle.read_bytes() == BUNDLE
        (self.path / ".git").mkdir(parents=True)

    def submodules(self) -> list[str]:
        return []

    def large_files(self) -> list[str]:
        return []

    @property
    def is_whole(self) -> bool:
        return self.path.exists()

    def save(self, task_id: str) -> tuple[str, bytes]:
        if self.is_full:
            raise OSError("the disk is full")
        return (COMMIT, CHANGES) if self.path.exists() else (BASE, b"")

    def release(self) -> None:
        """Do nothing: there is no cache."""

    def remove(self) -> None:
        if self.path.exists():
            (self.path / ".git").rmdir()
            self.path.rmdir()


class Person(RunObserver):
    """Keep what is reported. Permission requests get `answers`, and wait while there are none."""

    def __init__(self) -> None:
        self.states: list[PlacementState] = []
        self.records: list[dict[str, Any]] = []
        self.changes: list[Changes] = []
        self.has_left = False
        self.asked: list[str] = []
        self.withdrawn: list[str] = []
        self.answers: asyncio.Queue[Answer] = asyncio.Queue()

    def placed(self, node: str | None, state: PlacementState) -> None:
        if self.states[-1:] != [state]:
            self.states.append(state)

    async def keep(self, record: dict[str, Any]) -> None:
        self.records.append(record)

    def brought_back(self, changes: Changes) -> None:
        self.changes.append(changes)

    def left_cluster(self) -> None:
        self.has_left = True

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question.title)
        try:
            return await self.answers.get()
        except asyncio.CancelledError:
            self.withdrawn.append(question.title)
            raise


class World:
    """One node, one link and the events of one run."""

    handle: RemoteRun

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        script: Script,
        *,
        timeout_seconds: float | None = None,
        **given: Any,
    ) -> None:
        """`given` are further members of the spec of the run."""
        self._given = given
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.node = FakeNode("A", 1)
        self.ray = FakeRay([self.node])
        self.ray.watch = self._watch
        self.gateways = FakeGateways(self.ray)
        self.agents = ScriptedRunner(script)
        self.person = Person()
        self._timeout_seconds = timeout_seconds
        self.events: list[dict[str, Any]] = []
        self.brought: list[bytes] = []
        self.bring_back_fails = False
        self.saving_seconds = 1.0
        """How long a watcher takes to save the changes."""
        self.settings = FleetSettings(gateway=["fake"], heartbeat_seconds=5, lost_after_seconds=30)
        self._patch(monkeypatch)
        self.link = FleetLink(self.settings, {}, lambda: None, lambda _: None)

    def _exit_actor(self) -> None:
        self.actor.kill()

    def _start_watcher(self, run: LeftRun) -> int:
        self._left = run
        return os.open(os.devnull, os.O_RDONLY)

    def _watch(self) -> None:
        """Save the changes of the run and remove its folder as its watcher does."""
        body: RunActor | None = self.actor.body
        if body is None:
            return
        if body._keeping is not asyncio.current_task():
            body._keeping.cancel()
        if not self._left.has_begun:
            os.close(body._held)
            shutil.rmtree(self._left.folder, ignore_errors=True)
            return
        asyncio.get_running_loop().call_later(self.saving_seconds, self._save)

    def _save(self) -> None:
        run = self._left
        run.save()
        is_kept = run.has_changes or run.has_result
        keep = watcher.KEEP_SECONDS if is_kept else watcher.SALVAGE_SECONDS
        asyncio.get_running_loop().call_later(keep, lambda: shutil.rmtree(run.folder, ignore_errors=True))

    def _patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SIDECAR_FLEET_DIR", str(self.folder / "fleet"))
        monkeypatch.setattr(asyncio, "to_thread", in_line)
        monkeypatch.setattr(GatewayProcess, "start", self.gateways.start)
        monkeypatch.setitem(sys.modules, "ray", self.ray)
        monkeypatch.setitem(sys.modules, "ray.util", self.ray.util)
        monkeypatch.setattr(watcher, "start", self._start_watcher)
        monkeypatch.setattr(watcher, "dismiss", lambda _: None)
        monkeypatch.setattr(actor, "exit_process", self._exit_actor)
        monkeypatch.setattr(node_run, "NodeTree", FakeTree)
        monkeypatch.setattr(left_run, "NodeTree", FakeTree)
        monkeypatch.setattr(salvage, "sweep", lambda *_: None)
        monkeypatch.setattr(node_run, "node_runner", lambda *_: self.agents)
        tree = Tree(root="/here", prefix="", base=BASE, repository="cache")
        monkeypatch.setattr(kept_changes, "PIECE_BYTES", PIECE_BYTES)
        monkeypatch.setattr(placing, "_PIECE_BYTES", PIECE_BYTES)
        monkeypatch.setattr(workspace, "prepare", lambda _: tree)
        monkeypatch.setattr(workspace, "packed", lambda *_: BUNDLE)
        monkeypatch.setattr(workspace, "bring_back", self._bring_back)

    def _bring_back(self, tree: Tree, task_id: str, commit: str, data: bytes, keep_days: float) -> Changes:
        if self.bring_back_fails:
            raise GitError("git unbundle: no space left on device")
        self.brought.append(data)
        return Changes(files=1, additions=2, deletions=3)

    async def emit(self, event: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        self.events.append(event)

    async def launch(self) -> RemoteRun:
        """Start the run."""
        settings = RunnerSettings(type="command", command=["scripted"])
        runner = RemoteRunner(self.agents, settings, self.settings, self.link)
        given = {"observer": self.person, "timeout_seconds": self._timeout_seconds, **self._given}
        spec = RunSpec(RUN, "go", self.folder, **given)
        self.handle = await runner.start(spec, self.emit)
        return self.handle

    def abandon(self) -> None:
        """Let the sidecar die: its gateway goes too, and nothing of the run is taken any more."""
        self.gateways.kill()
        self.handle._end.cancel()
        for request in self.handle._requests._sending:
            request.cancel()

    async def find(self) -> RemoteRun:
        """Follow the run as a new sidecar does, from the last recorded event on."""
        self.link = FleetLink(self.settings, {}, lambda: None, lambda _: None)
        heard = max([0, *(event.get("nodeSeq", 0) for event in self.events)])
        runner = FoundRunner("scripted", kept(self.person.records[-1]), self.link)
        spec = RunSpec(RUN, "", self.folder, observer=self.person, heard=heard)
        self.handle = await runner.start(spec, self.emit)
        return self.handle

    async def collect(self, *, takes_changes: bool = True) -> list[Changes]:
        """Remove what the run left, as the sidecar does in the background; return what came back."""
        changes: list[Changes] = []

        async def brought_back(came: Changes) -> None:
            assert "drop" not in self.ops(), "the node must keep changes until they are recorded"
            changes.append(came)

        record = self.person.records[-1]
        await collect(self.link, RUN, record, brought_back if takes_changes else None)
        return changes

    @property
    def actor(self) -> FakeActor:
        """The actor of the run."""
        return self.ray.actors[f"run-{RUN}"]

    @property
    def body(self) -> RunActor:
        """What runs in its process."""
        body: RunActor = self.actor.body
        return body

    @property
    def values(self) -> list[Any]:
        """What the agent emitted, as far as it arrived."""
        return [event["value"] for event in self.events if event["type"] == "emit"]

    @property
    def log(self) -> str:
        """The log of the run."""
        return "".join(event["text"] for event in self.events if event["type"] == "log")

    def ops(self) -> list[str]:
        """Return the requests so far."""
        return [request["op"] for request in self.gateways.requests]

    def kill_worker(self) -> None:
        """Kill the process of the actor, with its agent."""
        self.actor.kill()
        run = self.body._run
        run._record = lambda *_, **__: None  # type: ignore[method-assign]
        for work in (run._work, self.agents.runs[-1]._work if self.agents.runs else None):
            if work is not None:
                work.cancel()

    def is_clean(self) -> bool:
        """Return whether nothing of the run is left on the cluster."""
        runs = self.folder / "fleet" / "runs"
        return self.actor.died.is_set() and not (runs / RUN).exists() and self.node.free == self.node.slots
