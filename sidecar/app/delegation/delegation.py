"""The sidecar's tools for the agent of one run: its token, its children and the reports about them."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from sidecar.app.delegation.rights import ParentRights
from sidecar.app.outbound.client_reminders import ClientReminders
from sidecar.subagents.equipment.servers import McpServer
from sidecar.subagents.permissions.policy import SERVER
from sidecar.subagents.runs.prepared import Waits
from sidecar.subagents.runs.run import Run

if TYPE_CHECKING:
    from sidecar.app.clients.context import Caller
    from sidecar.app.delegation.delegations import Delegations

TOKEN: Final = "SUBAGENT_SIDECAR_RUN_TOKEN"  # noqa: S105 # a name
"""The variable with which the server of a run's agent identifies itself to the Host."""


class Connected(Protocol):
    """A connection of the agent's server."""

    def turn_ended(self) -> None:
        """Note that the agent's model has read all results so far."""

    async def settled(self) -> None:
        """Wait until that is recorded."""

    def disconnect(self) -> None:
        """End the connection."""


class RunDelegation:
    """Give the agent of one run the sidecar's tools; see `Delegation`.

    `caller` is who launched the run. `depth` is 1 for a run without a parent.
    """

    def __init__(
        self, delegations: "Delegations", caller: "Caller", rights: ParentRights, depth: int
    ) -> None:
        self.task_id = rights.task_id
        self.caller = replace(caller, parent=rights, client_id=client_id(rights.task_id))
        self._all = delegations
        self._depth = depth
        self._waits: Waits | None = None
        self._connected: set[Connected] = set()
        self._reminders: ClientReminders | None = None

    @property
    def may_launch(self) -> bool:
        """Whether the settings allow children of this run, and the run is running."""
        allowed = self.caller.settings.current.async_tasks.max_depth
        return self._depth < allowed and self._all.is_running(self.task_id)

    def open(self, waits: Waits) -> McpServer:
        """Return the server that the agent starts. Its token is valid until the run ends."""
        self._waits = waits
        token = secrets.token_urlsafe(32)
        self._all.add(token, self)
        self._reminders = self._all.reminders_of(self)
        return McpServer(SERVER, self._all.command, {TOKEN: token})

    async def aclose(self) -> None:
        """Make the token invalid, and disconnect the agent from its server."""
        self.revoke()
        if self._reminders is not None:
            await self._reminders.aclose()

    def revoke(self) -> None:
        """Make the token invalid, and disconnect the agent from its server. Idempotent."""
        self._all.remove(self)
        for each in tuple(self._connected):
            each.disconnect()

    @contextmanager
    def connected(self, connection: Connected) -> Iterator[None]:
        """Note a connection of the agent's server."""
        self._connected.add(connection)
        try:
            yield
        finally:
            self._connected.discard(connection)

    def launched(self, task_id: str) -> bool:
        """Return whether this run launched another one, which is live or whose end is pending."""
        return self._all.launcher_of(task_id) == self.task_id

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Lend the slot of the run, and stop its inactivity timeout, while it waits for its children."""
        with self.paused(), self._all.waiting_for_children(self.task_id):
            yield

    def paused(self) -> AbstractContextManager[None]:
        """Stop the inactivity timeout of the run inside the context."""
        return nullcontext() if self._waits is None else self._waits.waiting()

    async def next_report(self) -> str | None:
        """Wait for the end of a child, and return the reminder of it; None if nothing is left to report."""
        if self._reminders is None:
            return None
        for each in self._connected:
            each.turn_ended()
        await asyncio.gather(*(each.settled() for each in self._connected))
        while True:
            reminder = await self._reminders.next()
            if reminder.delivery_id is not None:
                await self._reminders.delivered(reminder.delivery_id)
                return reminder.text
            children = [run.id for run in self._all.children_of(self.task_id)]
            if not children:
                return None
            with self.waiting():
                await self._all.wait_for_any(children)


def client_id(task_id: str) -> str:
    """Return the ID under which a run launches others."""
    return f"run:{task_id}"


def is_child(run: Run, task_id: str) -> bool:
    """Return whether a run launched another one with its own tools."""
    return run.record.delegated and run.record.task.parent_task_id == task_id
