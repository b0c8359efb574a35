"""The runs of one Host that have the sidecar's tools: their tokens, and what ends with them."""

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sidecar.api.errors import LaunchFailed
from sidecar.app.delegation.delegation import RunDelegation, client_id, is_child
from sidecar.app.delegation.rights import ParentRights
from sidecar.app.launching.control import RunControl
from sidecar.app.launching.gate import LaunchGate
from sidecar.app.launching.run_selection import RunSelection
from sidecar.app.outbound.client_reminders import ClientReminders
from sidecar.app.outbound.reminders import Reminders
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.runners.process.module_command import module_command
from sidecar.subagents.runs.admission import Admission
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import Run
from sidecar.subagents.tasks.outcome import HOST_EXIT, CancelledBy

if TYPE_CHECKING:
    from sidecar.app.clients.context import Caller
    from sidecar.subagents.runs.targets.target import Target


class Delegations:
    """Find the run of a token, and end the children of a run with it."""

    def __init__(
        self,
        root: str,
        registry: RunRegistry,
        control: RunControl,
        gate: LaunchGate,
        admission: Admission,
        reminders: Reminders,
    ) -> None:
        """`root` is the path of the own root."""
        self.command = (*module_command("sidecar"), "mcp", "--storage-root", root)
        self.is_reachable = False
        """Whether processes can attach to this Host."""
        self._registry = registry
        self._control = control
        self._gate = gate
        self._admission = admission
        self._reminders = reminders
        self._by_token: dict[str, RunDelegation] = {}

    def prepare(
        self,
        target: "Target",
        record: RunRecord,
        constraints: RunConstraints,
        caller: "Caller",
        depth: int,
    ) -> RunDelegation | None:
        """Return the delegation of a run whose definition asks for the sidecar's tools, else None.

        Raises LaunchFailed if the run cannot have them.
        """
        definition, task = target.definition, record.task
        if definition.mcp_servers is None or not definition.mcp_servers.has_own_tools:
            return None
        if not self.is_reachable:
            raise _unusable(
                target, "mcpServers: sidecar needs a Host that agents can reach; omit --in-process"
            )
        rights = ParentRights(
            task.id, task.workspace_dir, task.owner, definition.permissions, constraints.tools
        )
        return RunDelegation(self, caller, rights, depth)

    def find(self, token: str) -> RunDelegation | None:
        """Return the delegation with this token."""
        return self._by_token.get(_digest(token))

    def add(self, token: str, delegation: RunDelegation) -> None:
        """Accept a token."""
        self._by_token[_digest(token)] = delegation

    def remove(self, delegation: RunDelegation) -> None:
        """Stop accepting the token of a delegation."""
        self._by_token = {key: each for key, each in self._by_token.items() if each is not delegation}

    def is_running(self, task_id: str) -> bool:
        """Return whether a run is live and has no end yet."""
        run = self._registry.live(task_id)
        return run is not None and run.outcome is None

    def children_of(self, task_id: str) -> list[Run]:
        """Return the live runs that a run launched with its tools."""
        return [run for run in self._live() if is_child(run, task_id)]

    def launcher_of(self, task_id: str) -> str | None:
        """Return the run that launched a run with its tools."""
        return self._reminders.launcher_of(task_id)

    def reminders_of(self, delegation: RunDelegation) -> ClientReminders:
        """Return the reminders of a run's children."""
        reminders = ClientReminders(
            self._reminders,
            delegation.caller.settings,
            delegation.launched,
            lambda: True,
            _start_no_turn,
            name="run",
            client_id=delegation.caller.client_id,
            enrich=True,
        )
        reminders.start()
        return reminders

    def waiting_for_children(self, task_id: str) -> AbstractContextManager[None]:
        """Lend the slot of a run inside the context."""
        return self._admission.waiting_for_children(task_id)

    async def wait_for_any(self, task_ids: Sequence[str]) -> None:
        """Wait until one of these runs has ended."""
        await self._control.wait(task_ids, "any", None)

    def run_concluded(self, run: Run) -> None:
        """End what must not outlive a run: its token, its launches and the runs that it launched.

        A cancelled run also cancels the runs that clients launched on its behalf.
        """
        outcome = run.outcome
        assert outcome is not None, "the run is concluded"
        for delegation in [each for each in self._by_token.values() if each.task_id == run.id]:
            delegation.revoke()
        self._gate.cancel(lambda task_id: self._registry.live(task_id) is not None, _launches_of(run.id))
        is_cancelled = outcome.status == "cancelled"
        by: CancelledBy = "user" if outcome.reason == "cancelledByUser" else "model"
        words = f"the run {run.id} that launched it {'was cancelled' if is_cancelled else 'has ended'}"
        for child in self._live():
            if not (is_child(child, run.id) or (is_cancelled and child.record.task.parent_task_id == run.id)):
                continue
            if outcome.reason == HOST_EXIT.reason:
                self._admission.remove(child.id)
                self._registry.conclude(child.id, HOST_EXIT)
            else:
                self._control.request_cancel(child.id, by, words, outcome.client_id)

    def _live(self) -> list[Run]:
        return [*self._registry.with_status("queued"), *self._registry.with_status("running")]


def _launches_of(task_id: str) -> RunSelection:
    return RunSelection(client_id=client_id(task_id))


def _digest(token: str) -> str:
    """Return the digest of a token, so that the time of a comparison reveals nothing about the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _unusable(target: "Target", reason: str) -> LaunchFailed:
    name = target.definition.name
    return LaunchFailed(f"subagent {name!r} cannot be launched: {reason}", subagentName=name, reason=reason)


async def _start_no_turn(message: str, task_ids: list[str], delivery_id: str) -> bool:
    return False
