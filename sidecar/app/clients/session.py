"""One connected client: its state, its workspace and its settings."""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.api.errors import InvalidParams, InvalidRequest, NotInitialized, NotTrusted
from sidecar.api.lifecycle import InitializeParams, LogMessage, ProgressMessage
from sidecar.api.model import TriggerTurn
from sidecar.app.clients.context import Caller, ClientContext
from sidecar.app.clients.hosting import ClientSettingsStore, Hosting
from sidecar.app.clients.notifications import Notifications
from sidecar.app.definition_watch import DefinitionWatch
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace, parse_folders
from sidecar.app.outbound.client_reminders import ClientReminders
from sidecar.app.outbound.output import OutputPump
from sidecar.app.outbound.piggyback import Piggyback
from sidecar.app.outbound.progress import Progress
from sidecar.app.outbound.report_stream import ReportStream
from sidecar.app.roots import WantedRoots
from sidecar.app.settings import merge
from sidecar.history import TaskHistory
from sidecar.rpc.connection import Connection
from sidecar.rpc.errors import METHOD_NOT_FOUND, ConnectionClosed, RpcError
from sidecar.rpc.messages import MessageId
from sidecar.rpc.watchdog import ParentWatchdog
from sidecar.subagents.reminders.outbox import TRIGGER_SECONDS
from sidecar.subagents.reminders.scope import Audience
from sidecar.subagents.runs.registry.directory import FOREIGN_POLL_SECONDS

if TYPE_CHECKING:
    from sidecar.app.clients.toolbox import Toolbox
    from sidecar.subagents.definitions import DefinitionDirectory

logger = logging.getLogger(__name__)

UNNAMED = "unnamed client"
"""The owner of the runs of a client without a name."""


class Session:
    """Serve one client of one Host.

    `storage_root` is the root on the command line, if any; `raw_settings` come from the settings file. Runs
    inherit `environment`.
    """

    def __init__(
        self,
        hosting: Hosting,
        storage_root: Path | None,
        raw_settings: dict[str, Any],
        started_at: int,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.storage_root = storage_root
        self.default_root: Path | None = None
        self.started_at = started_at
        self.workspace = Workspace()
        self.connection: Connection
        self.settings: ClientSettingsStore
        self.context: ClientContext
        self._hosting = hosting
        self._environment = environment
        self._raw_settings = raw_settings
        self._foreign_roots: tuple[Path, ...] = ()
        self._host: Host | None = None
        self._opening = False
        self._shut_down = False
        self._busy = False
        self._takes_turns = True
        self._own_definitions_only = False
        self._held_back: Mapping[str, Any] = {}
        """Settings for all clients that take effect once the user trusts the workspace."""
        self._unlisten: Callable[[], None] = lambda: None
        self.piggyback: Piggyback | None = None
        self._watchdog: ParentWatchdog | None = None
        self._definitions: DefinitionWatch | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def host(self) -> Host:
        """The Host of this client. Raises NotInitialized before `initialize`."""
        if self._host is None:
            raise NotInitialized("send initialize first")
        return self._host

    @property
    def caller(self) -> Caller:
        """Who launches runs now: this client and its workspace."""
        return self.context.caller(self.workspace)

    @property
    def history(self) -> TaskHistory:
        """The stored tasks of the own root and of the roots that this client named."""
        return self.stored.history

    @cached_property
    def toolbox(self) -> "Toolbox":
        """The model's tools, imported when first used to keep startup fast."""
        from sidecar.app.clients.toolbox import Toolbox

        return Toolbox(
            self.host,
            lambda: self.caller,
            lambda: self.history,
            require_trust=self.require_trust,
            sees=self._sees,
        )

    @property
    def exit_code(self) -> int:
        """The exit code if the process exits now: 0 after `shutdown`, else 1."""
        return 0 if self._shut_down else 1

    def admit(self, method: str, is_request: bool) -> None:
        """Refuse messages that arrive too early or too late. Raises NotInitialized and InvalidRequest."""
        if method == "exit":
            return
        if self._shut_down and is_request:
            raise InvalidRequest("the sidecar has shut down; only the notification exit may follow")
        if method == "initialize":
            if self._opening or self._host is not None:
                raise InvalidRequest("initialize was already sent")
        elif self._host is None:
            raise NotInitialized("send initialize first")

    async def open(self, params: InitializeParams, root: Path) -> Host:
        """Enter the Host with the parameters of `initialize`, and start to notify the client of changes."""
        self._opening = True
        try:
            folders = parse_folders(params.workspace_folders, "workspaceFolders")
            self._foreign_roots = parse_folders(params.foreign_roots, "foreignRoots")
            if params.process_id is not None and params.process_id <= 0:
                raise InvalidParams(f"processId: {params.process_id} is not a process ID")
            host, self.settings = await self._hosting.enter(root, self._raw_settings, params.settings or {})
        finally:
            self._opening = False
        self._host = host
        self._own_definitions_only = params.own_definitions_only
        name = params.client_info.name.strip() if params.client_info is not None else ""
        self.context = ClientContext(self.settings, self._environment, name or UNNAMED, host.starts)
        self.workspace = Workspace(folders, params.workspace_trusted)
        self.stored = host.views.enter(self._wanted_roots())
        self._start_notifying(host, answers_questions=params.answers_questions)
        if params.piggyback:
            self.piggyback = Piggyback(self.reminders)
        if params.process_id is not None:
            self._watchdog = ParentWatchdog(params.process_id, self._parent_died)
            self._watchdog.start()
        return host

    def _start_notifying(self, host: Host, *, answers_questions: bool) -> None:
        self.output = OutputPump(
            host.events,
            self.connection,
            host.changes,
            host.registry,
            FOREIGN_POLL_SECONDS if host.journal.read_only else None,
        )
        self._notifications = Notifications(
            host.changes, self.connection, self.context.runners.refresh, answers_questions=answers_questions
        )
        self._unlisten = host.changes.listen(self._notifications)
        self.reminders = ClientReminders(
            host.reminders,
            self.settings,
            self._is_concerned,
            lambda: self._busy or not self._takes_turns,
            self._trigger_turn,
            name=self.context.name,
            client_id=self.context.id,
        )
        self.reminders.start()
        self.stored.follow()
        self._definitions = DefinitionWatch(self._definition_places, host.changes.definitions_changed)
        self._definitions.start()

    def update_settings(self, changes: Mapping[str, Any]) -> None:
        """Apply changed settings at once. Raises InvalidParams naming the key.

        Those that concern other clients wait until the user trusts the workspace: they decide which programs
        run for all of them.
        """
        if not self._is_trusted:
            changes, held_back = self._hosting.split(self.settings, changes)
            self._held_back = merge(self._held_back, held_back)
            self._report_held_back(held_back)
        self._apply(changes)

    def _report_held_back(self, settings: Mapping[str, Any]) -> None:
        if names := self._hosting.not_applied(settings):
            message = f"settings/update: {', '.join(names)}: applied once the user trusts the workspace"
            self.log(LogMessage(level="warning", message=f"{message} (workspace/didGrantTrust)"))

    def _apply(self, changes: Mapping[str, Any]) -> None:
        before = self.settings.current
        shared = self._hosting.update_settings(self.settings, changes)
        if shared:
            self.host.changes.settings_changed(shared, self._notifications)
        after = self.settings.current
        if after.runners != before.runners:
            self.context.runners.refresh()
        self.stored = self.host.views.change(self.stored, self._wanted_roots())

    def ignored_settings(self, sent: Mapping[str, Any] | None) -> list[str] | None:
        """Return the settings of `initialize` that concern a shared Host; None if there are none."""
        return self._hosting.not_applied(sent or {}) or None

    async def refresh_history(self) -> None:
        """Look for new stores, check every stored task again, and notify of changes."""
        await asyncio.to_thread(self.stored.look_for_stores)
        self.host.changes.stored_changed(await asyncio.to_thread(self.history.refresh))

    def grant_trust(self) -> None:
        """Note that the user trusts the workspace, and apply the settings that waited for that."""
        self.workspace = Workspace(self.workspace.folders, trusted=True)
        if self._held_back:
            held_back, self._held_back = self._held_back, {}
            self._apply(held_back)

    def require_trust(self, refused: str = "no subagent can be launched") -> None:
        """Raise NotTrusted, naming what is refused, unless the workspace is trusted or not used."""
        if not self._is_trusted:
            raise NotTrusted(
                f"the workspace is not trusted, so {refused}; trust it in the editor "
                "(workspaceTrusted in initialize, or the notification workspace/didGrantTrust)"
            )

    @property
    def _is_trusted(self) -> bool:
        return self.workspace.trusted or self._own_definitions_only

    def set_busy(self, busy: bool) -> None:
        """Note whether the client's agent is in a turn. When it becomes idle, deliver pending reminders."""
        turned_idle = self._busy and not busy
        self._busy = busy
        if turned_idle:
            self.reminders.agent_became_idle()

    def heard(self, start: int, cancels: MessageId | None) -> None:
        """Note a message of the client, which may acknowledge a reminder."""
        if self.piggyback is not None:
            self.piggyback.heard(start, cancels)

    async def acknowledgements_are_durable(self) -> None:
        """Wait until what the client's messages acknowledged can never be reported again."""
        if self.piggyback is not None:
            await self.piggyback.settled()

    def progress(self, token: str | int | None, title: str) -> Progress:
        """Return the progress of one request; without a token, it sends nothing."""
        return Progress(self.connection, token, title)

    def reports(self, token: str | int) -> ReportStream:
        """Return a stream of text for a client that waits for an answer."""

        async def send(text: str) -> None:
            message = ProgressMessage(token=token, value={"kind": "report", "message": text})
            await self.connection.notify_paced("$/progress", message)

        return ReportStream(send)

    def log(self, message: LogMessage) -> None:
        """Send `log` after `initialize`; drop it while the client does not read."""
        if self._host is not None:
            self.connection.notify("log", message)

    async def shut_down(self, *, cancel_running: bool) -> None:
        """Shut down; only `exit` may follow."""
        self._shut_down = True
        if cancel_running:
            await self._hosting.cancel_runs(self)
        await self.aclose()

    def begin_close(self) -> None:
        """Start to leave the Host; the last requests may still be answered."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())

    async def aclose(self) -> None:
        """Leave the Host and end the services of this client within 3 s. Idempotent."""
        self.begin_close()
        assert self._closing is not None
        await asyncio.shield(self._closing)

    def _definition_places(self) -> "list[DefinitionDirectory]":
        return self.context.definitions.places(self.workspace)

    def _wanted_roots(self) -> WantedRoots:
        return WantedRoots.of(self.host.root.path, self._foreign_roots, self.settings.current.history)

    def _is_concerned(self, task_id: str) -> bool:
        """Return whether the client's model is notified of the end of a run."""
        return self.host.reminders.launcher_of(task_id) is None and self._sees(task_id)

    def _sees(self, task_id: str) -> bool:
        """Return whether the client's model sees a run."""
        audience = Audience(self.context.name, self.workspace.real_folders)
        scope = self.settings.current.reminders.scope
        return audience.is_concerned(self.host.reminders.owner_of(task_id), scope)

    async def _close(self) -> None:
        if self._host is not None:
            await self._hosting.end_runs()
            await self.output.aclose()
            await self.acknowledgements_are_durable()
            await self.reminders.aclose()
            self._unlisten()
            await self._host.views.leave(self.stored)
        await self._hosting.leave(self)
        if self._definitions is not None:
            await self._definitions.aclose()
        if self._watchdog is not None:
            await self._watchdog.close()

    async def _trigger_turn(self, message: str, task_ids: list[str], delivery_id: str) -> bool:
        turn = TriggerTurn(message=message, task_ids=task_ids, delivery_id=delivery_id)
        try:
            answer = await self.connection.request("agent/triggerTurn", turn, timeout=TRIGGER_SECONDS)
        except (RpcError, ConnectionClosed, TimeoutError) as error:
            if isinstance(error, RpcError) and error.code == METHOD_NOT_FOUND:
                self._takes_turns = False
            logger.info("the client did not start a turn: %s", error)
            return False
        return isinstance(answer, dict) and answer.get("accepted") is True

    def _parent_died(self) -> None:
        logger.warning("the client's process has exited; the sidecar exits too")
        self.connection.request_exit(1)
