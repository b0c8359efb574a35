"""A client that is the model of a run's agent: it sees, launches and controls the children of its run."""

from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

from sidecar.api.errors import TaskNotFound
from sidecar.app.clients.context import Caller
from sidecar.app.clients.hosting import Hosting
from sidecar.app.clients.model_client import ModelClient
from sidecar.app.clients.toolbox import Toolbox
from sidecar.app.delegation.delegation import RunDelegation
from sidecar.mcp.model import TranscriptPage

if TYPE_CHECKING:
    from sidecar.app.host import Host


class DelegateClient(ModelClient):
    """Serve the model of one run, with the settings, the environment and the rights of that run."""

    def __init__(self, hosting: Hosting, delegation: RunDelegation) -> None:
        super().__init__(hosting, delegation.caller.workspace, {}, {})
        self._delegation = delegation
        self._connected = ExitStack()

    def enter(self, host: "Host") -> None:
        """Enter the Host of the run."""
        self._begin(host, self._delegation.caller.settings)
        self._connected.enter_context(self._delegation.connected(self))

    @property
    def caller(self) -> Caller:
        """The run, as the caller of its launches."""
        return self._delegation.caller

    @cached_property
    def toolbox(self) -> Toolbox:
        """The model's tools."""
        return Toolbox(
            self.host,
            lambda: self.caller,
            lambda: self.history,
            require_trust=lambda: None,
            sees=self.sees,
            delegation=self._delegation,
        )

    def sees(self, task_id: str) -> bool:
        """Return whether the run launched a run."""
        return self._delegation.launched(task_id)

    def is_concerned(self, task_id: str) -> bool:
        """Return whether the model is notified of the end of a run."""
        return self.sees(task_id)

    async def transcripts(self, cursor: str | None) -> TranscriptPage:
        """Return an empty page: `check_async_tasks` shows the children of the run."""
        return TranscriptPage([], None)

    async def transcript(self, task_id: str) -> str:
        """Return the transcript of a child. Raises TaskNotFound for any other task."""
        if not self.sees(task_id):
            raise TaskNotFound(f"this run launched no run with the ID {task_id!r}", taskId=task_id)
        return await super().transcript(task_id)

    def turn_ended(self) -> None:
        """Note that the agent's model has read all results so far."""
        self.piggyback.turn_ended()

    async def settled(self) -> None:
        """Wait until that is recorded."""
        await self.piggyback.settled()

    def disconnect(self) -> None:
        """End the connection."""
        self.connection.request_exit(0)

    async def aclose(self) -> None:
        """Leave the Host. Idempotent."""
        self._connected.close()
        await super().aclose()
