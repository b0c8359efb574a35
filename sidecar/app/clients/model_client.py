"""A client that is a model: its tools, transcripts and reminders, without notifications."""

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.api.errors import NotTrusted
from sidecar.api.lifecycle import LogMessage
from sidecar.api.model import ToolCallResult, ToolDeclaration
from sidecar.api.settings import SettingsSource
from sidecar.app.clients.context import Caller, ClientContext
from sidecar.app.clients.hosting import Hosting
from sidecar.app.clients.toolbox import Toolbox
from sidecar.app.clients.transcripts import Transcripts
from sidecar.app.launching.workspace import Workspace
from sidecar.app.outbound.client_reminders import ClientReminders
from sidecar.app.outbound.piggyback import Piggyback
from sidecar.app.roots import WantedRoots
from sidecar.history import TaskHistory
from sidecar.mcp.connection import McpConnection
from sidecar.mcp.model import TranscriptPage
from sidecar.subagents.reminders.scope import Audience
from sidecar.subagents.runners.process.marker import MARKER

if TYPE_CHECKING:
    from sidecar.app.host import Host

NAME = "mcp"
"""The owner of the runs that such clients launch."""


class ModelClient:
    """Serve one model in one workspace.

    Nobody answers permission requests for it. Without trust it launches only the user's own definitions. Runs
    inherit `environment`.
    """

    connection: McpConnection

    def __init__(
        self,
        hosting: Hosting,
        workspace: Workspace,
        raw_settings: Mapping[str, Any],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.workspace = workspace
        self._hosting = hosting
        self._raw_settings = raw_settings
        self._environment = environment
        self._leave: list[Callable[[], Any]] = []

    async def open(self, root: Path) -> None:
        """Enter the Host. Raises InvalidParams."""
        host, settings = await self._hosting.enter(root, self._raw_settings, {})
        self._context = ClientContext(settings, self._environment, NAME, host.starts)
        self._begin(host, settings)

    def _begin(self, host: "Host", settings: SettingsSource) -> None:
        self.host: Host = host
        self.settings = settings
        self.stored = host.views.enter(WantedRoots.of(host.root.path, (), settings.current.history))
        self.stored.follow()  # a model asks for hours: it also gets the sessions of stores created since
        self.reminders = ClientReminders(
            host.reminders,
            settings,
            self.is_concerned,
            lambda: True,
            _start_no_turn,
            name=NAME,
            client_id=self.caller.client_id,
            enrich=True,
        )
        self.reminders.start()
        self.piggyback = Piggyback(self.reminders)

    @property
    def caller(self) -> Caller:
        """Who launches runs: this client and its workspace."""
        return self._context.caller(self.workspace)

    @property
    def history(self) -> TaskHistory:
        """The stored tasks of the own root and of the roots in the settings."""
        return self.stored.history

    @cached_property
    def toolbox(self) -> Toolbox:
        """The model's tools."""
        return Toolbox(
            self.host,
            lambda: self.caller,
            lambda: self.history,
            require_trust=self._require_no_run,
            sees=self.sees,
            may_see_all=lambda: not self._is_run(),
        )

    def _is_run(self) -> bool:
        """Return whether the model is that of a run whose agent starts this server by its own configuration.

        Anyone can set the variable that identifies a run, so it only removes rights.
        """
        return self.host.registry.live(self._environment.get(MARKER, "")) is not None

    def _require_no_run(self) -> None:
        """Raise NotTrusted in an agent that is a run itself, whose definition would have to allow it."""
        if self._is_run():
            raise NotTrusted(
                "this agent is itself a subagent and may not launch others; "
                "to allow it, add mcpServers: [sidecar] to its definition and raise asyncTasks.maxDepth"
            )

    def sees(self, task_id: str) -> bool:
        """Return whether the model sees a run."""
        if self._is_run():
            return False
        audience = Audience(NAME, self.workspace.real_folders)
        scope = self.settings.current.reminders.scope
        return audience.is_concerned(self.host.reminders.owner_of(task_id), scope)

    def is_concerned(self, task_id: str) -> bool:
        """Return whether the model is notified of the end of a run."""
        return self.host.reminders.launcher_of(task_id) is None and self.sees(task_id)

    def declarations(self) -> list[ToolDeclaration]:
        """Return the tools."""
        return self.toolbox.declarations()

    async def call(
        self, name: str, arguments: Mapping[str, Any], update_output: Callable[[str], object] | None
    ) -> ToolCallResult:
        """Call a tool. Raises InvalidParams for an unknown one."""
        return await self.toolbox.call(name, arguments, update_output)

    async def transcripts(self, cursor: str | None) -> TranscriptPage:
        """Return a page of the workspace's transcripts, newest first. Raises InvalidParams."""
        return await asyncio.to_thread(self._transcripts.page, cursor)

    async def transcript(self, task_id: str) -> str:
        """Return a transcript, fenced as data. Raises SidecarError if there is none."""
        return await asyncio.to_thread(self._transcripts.read, task_id)

    @property
    def _transcripts(self) -> Transcripts:
        max_chars = self.settings.current.tools.max_chars
        return Transcripts(self.history, self.workspace.folders, max_chars)

    def log(self, message: LogMessage) -> None:
        """Drop a log message: the protocol's log is not offered."""

    async def aclose(self) -> None:
        """Leave the Host, and offer other clients what the model did not acknowledge. Idempotent."""
        if "stored" not in vars(self):
            return
        stored = vars(self).pop("stored")
        await self.piggyback.settled()
        await self.reminders.aclose()
        await self.host.views.leave(stored)


async def _start_no_turn(message: str, task_ids: list[str], delivery_id: str) -> bool:
    return False
