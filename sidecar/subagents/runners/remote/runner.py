"""A runner whose runs work on a node of a Ray cluster. It wraps the settings of any other runner."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sidecar.api.runs.async_tasks import Placement
from sidecar.api.settings import FleetSettings, RunnerSettings
from sidecar.subagents.limits.constraints import RunnerOption
from sidecar.subagents.runners.contract import Emit, Runner, RunnerUnavailable, RunSpec
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.extras import Extras, packed_extras
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayRefused
from sidecar.subagents.runners.remote.git_work import in_thread
from sidecar.subagents.runners.remote.job import (
    EXTRA_SECONDS,
    KEEP_DAYS,
    Job,
    RemoteRecord,
    Tree,
    literal_variables,
    to_plain,
)
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runners.remote.refs import earlier
from sidecar.subagents.runners.remote.requirements import NodeRequirements, why_unsuitable
from sidecar.subagents.runners.remote.run.placing import Placing
from sidecar.subagents.runners.remote.run.remote_run import RemoteRun

logger = logging.getLogger(__name__)

STATUS_SECONDS = 30.0
"""How long a connected gateway may take to describe the nodes: it waits 4 s for them, and may be slow."""


class RemoteRunner:
    """Start the runs of a runner on the cluster of `fleet`; see `Runner`."""

    def __init__(
        self,
        inner: Runner,
        settings: RunnerSettings,
        fleet: FleetSettings,
        link: FleetLink,
        keep_days: float = KEEP_DAYS,
    ) -> None:
        """`inner` is the runner on this machine, which need not be installed here.

        `keep_days` says how long the changes of runs stay in a repository.
        """
        self._keep_days = keep_days
        self.name = inner.name
        self.type = inner.type
        self.listens = inner.listens
        self.unsupported: Mapping[RunnerOption, str] = inner.unsupported
        self._settings = settings
        self._fleet = fleet
        self._link = link

    def check(self) -> None:
        """Raise `RunnerUnavailable` if no cluster is configured, or the value of a variable would be sent."""
        if not self._fleet.gateway:
            raise self._unavailable(
                "placement: ray needs a cluster; set fleet.gateway to the command that starts the gateway"
            )
        if literals := literal_variables(self._settings.env):
            first = literals[0]
            raise self._unavailable(
                f"values of variables are not sent to a cluster; write {first} = "
                f'"${{env:{first}}}" in runners.{self.name}.env and set {first} on the nodes'
            )

    async def check_place(self, workspace_dir: Path, until: float) -> None:
        """Raise `RunnerUnavailable` if the workspace cannot be sent or no node can run this.

        What is not known at the time `until` of the event loop's clock is not refused: the run waits for its
        gateway and for nodes that take long to describe themselves, and may then fail with the reason.
        """
        self.check()
        try:
            async with asyncio.timeout_at(until):
                await in_thread(workspace.check, workspace_dir)
                await self._check_nodes()
        except TimeoutError:
            logger.info("runner %s: the run waits for git or the gateway, which is slow to answer", self.name)

    async def _check_nodes(self) -> None:
        try:
            status = await self._link.status(STATUS_SECONDS)
        except (RunnerUnavailable, GatewayRefused, GatewayGone) as error:
            raise self._unavailable(str(error)) from None
        reason = why_unsuitable(self._requirements(), status)
        if reason is not None:
            raise self._unavailable(reason)

    @property
    def place(self) -> Placement:
        """What a run needs of its node, before it has one."""
        labels, slots = dict(self._fleet.labels), self._fleet.slots_per_run
        return Placement(
            kind="ray", state="waiting", labels=labels or None, slots=slots if slots > 1 else None
        )

    def has_place(self) -> bool:
        """Return whether a node with the labels has free slots, as far as is known. Never waits.

        If none does, the link keeps asking until one does.
        """
        return self._link.slots.are_free(self._fleet.labels, self._fleet.slots_per_run)

    async def start(self, spec: RunSpec, emit: Emit) -> RemoteRun:
        """Start placing a run; raises `RunnerUnavailable` if a part of it cannot be sent."""
        spec.observer.placed(None, "starting")  # the agent has not started while git packs the workspace
        tree = await in_thread(workspace.prepare, spec.workspace_dir)
        tree, notices = await in_thread(earlier.with_changes, tree, spec.resumes)
        for notice in notices:
            await emit({"type": "log", "stream": "stderr", "text": notice})
        extras = await in_thread(packed_extras, tree, spec.directories, spec.attachments)
        job, record = self._job(spec, extras), self._record(tree, spec)
        # Make it durable before anything exists on the cluster.
        await spec.observer.keep(to_plain(record))
        placing = Placing(job, self._requirements(), extras.contents)
        return RemoteRun(self._link, spec.task_id, record, spec.observer, emit, placing)

    def _requirements(self) -> NodeRequirements:
        return NodeRequirements(
            runner=self.name,
            program=None if self._settings.command is None else self._settings.command[0],
            is_builtin=self._settings.type == "builtin",
            labels=self._fleet.labels,
            slots=self._fleet.slots_per_run,
        )

    def _job(self, spec: RunSpec, extras: Extras) -> Job:
        return Job(
            task_id=spec.task_id,
            runner_name=self.name,
            runner=msgspec.structs.replace(self._settings, placement=None),
            prompt=spec.prompt,
            model=spec.model,
            mode=spec.mode,
            effort=spec.effort,
            policy=spec.policy,
            trusted=spec.trusted,
            constraints=spec.constraints,
            former=spec.former,
            servers=dict(spec.server_entries),
            attachments=extras.attachments,
            directories=extras.directories,
            limit_seconds=_node_limit(spec),
        )

    def _record(self, tree: Tree, spec: RunSpec) -> RemoteRecord:
        fleet = self._fleet
        return RemoteRecord(
            gateway=list(fleet.gateway or ()),
            address=fleet.address,
            namespace=fleet.namespace,
            token_path=fleet.token_path,
            heartbeat_seconds=fleet.heartbeat_seconds,
            lost_after_seconds=fleet.lost_after_seconds,
            tree=tree,
            runner_type=self.type,
            listens=self.listens,
            policy=spec.policy,
            constraints=spec.constraints,
            keep_days=self._keep_days,
        )

    def _unavailable(self, reason: str) -> RunnerUnavailable:
        prefix = f"runner {self.name!r}: "
        return RunnerUnavailable(reason if reason.startswith(prefix) else prefix + reason)


def _node_limit(spec: RunSpec) -> float | None:
    """Return the time limit that the node applies to a run whose sidecar is gone."""
    limit = spec.timeout_seconds
    return None if limit is None else limit + spec.constraints.grace_seconds + EXTRA_SECONDS


class FoundRunner:
    """The runner of a run that outlived its sidecar: it starts nothing, and only follows that run."""

    unsupported: Mapping[RunnerOption, str] = {}

    def __init__(self, name: str, record: RemoteRecord, link: FleetLink) -> None:
        self._record = record
        self.name = name
        self.type = self._record.runner_type
        self.listens = self._record.listens
        self._link = link

    def check(self) -> None:
        """Do nothing: the run exists, or is lost."""

    async def start(self, spec: RunSpec, emit: Emit) -> RemoteRun:
        """Follow the run from its last recorded line on."""
        return RemoteRun(self._link, spec.task_id, self._record, spec.observer, emit, after=spec.heard)


def kept(remote: Mapping[str, Any]) -> RemoteRecord:
    """Return what the journal keeps of a run on a cluster."""
    return msgspec.convert(remote, RemoteRecord)


def settings_of(record: RemoteRecord) -> FleetSettings:
    """Return the settings with which a kept run reaches its cluster."""
    return FleetSettings(
        gateway=record.gateway,
        address=record.address,
        namespace=record.namespace,
        token_path=record.token_path,
        heartbeat_seconds=record.heartbeat_seconds,
        lost_after_seconds=record.lost_after_seconds,
    )
