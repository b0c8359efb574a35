"""One connected client: its state, its workspace and its notifications."""

import asyncio
import logging
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.api.errors import InvalidParams, InvalidRequest, NotInitialized, NotTrusted
from sidecar.api.lifecycle import InitializeParams, LogMessage, ProgressMessage
from sidecar.api.model import TriggerTurn
from sidecar.api.runs.async_tasks import AsyncTask, AsyncTaskDidChange
from sidecar.api.runs.subagents import SubagentsDidChange
from sidecar.api.stored.tasks import TasksDidChange
from sidecar.app.definition_watch import DefinitionWatch
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace, parse_folders
from sidecar.app.outbound.changes import Listener
from sidecar.app.outbound.output import OutputPump
from sidecar.app.outbound.progress import Progress
from sidecar.app.outbound.report_stream import ReportStream
from sidecar.app.settings import SettingsStore
from sidecar.rpc.connection import Connection
from sidecar.rpc.errors import METHOD_NOT_FOUND, ConnectionClosed, RpcError
from sidecar.rpc.watchdog import ParentWatchdog
from sidecar.subagents.reminders.outbox import TRIGGER_SECONDS
from sidecar.subagents.runs.registry.directory import FOREIGN_POLL_SECONDS

if TYPE_CHECKING:
    from sidecar.app.toolbox import Toolbox
    from sidecar.subagents.definitions import DefinitionDirectory

logger = logging.getLogger(__name__)


class Session(Listener):
    """Serve one client of one Host.

    `storage_root` is the root on the command line, if any; `raw_settings` come from the settings file.
    """

    answers_questions = True

    def __init__(self, storage_root: Path | None, raw_settings: dict[str, Any], started_at: int) -> None:
        self.storage_root = storage_root
        self.started_at = started_at
        self.workspace = Workspace()
        self.connection: Connection
        self._raw_settings = raw_settings
        self._host: Host | None = None
        self._opening = False
        self._shut_down = False
        self._busy = False
        self._takes_turns = True
        self._unlisten: Callable[[], None] = lambda: None
        self._watchdog: ParentWatchdog | None = None
        self._definitions: DefinitionWatch | None = None
        self._closing: asyncio.Task[None] | None = None
        self._agent_became_idle: Callable[[], None] = lambda: None

    @property
    def host(self) -> Host:
        """The Host of this client. Raises NotInitialized before `initialize`."""
        if self._host is None:
            raise NotInitialized("send initialize first")
        return self._host

    @cached_property
    def toolbox(self) -> "Toolbox":
        """The model's tools, imported when first used to keep startup fast."""
        from sidecar.app.toolbox import Toolbox

        return Toolbox(self.host, lambda: self.workspace)

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

    async def open(self, params: InitializeParams, root: Path, settings: SettingsStore) -> Host:
        """Open the Host with the parameters of `initialize`, and start to notify the client of changes."""
        self._opening = True
        try:
            folders = parse_folders(params.workspace_folders, "workspaceFolders")
            foreign = parse_folders(params.foreign_roots, "foreignRoots")
            if params.process_id is not None and params.process_id <= 0:
                raise InvalidParams(f"processId: {params.process_id} is not a process id")
            host = await Host.open(root, settings, foreign)
        finally:
            self._opening = False
        self._host = host
        self.workspace = Workspace(folders, params.workspace_trusted)
        self.output = OutputPump(
            host.events,
            self.connection,
            host.changes,
            host.registry,
            FOREIGN_POLL_SECONDS if host.journal.read_only else None,
        )
        self._unlisten = host.changes.listen(self)
        self._agent_became_idle = host.reminders.start_turns(
            lambda: self._busy or not self._takes_turns, self._trigger_turn
        ).agent_became_idle
        if params.process_id is not None:
            self._watchdog = ParentWatchdog(params.process_id, self._parent_died)
            self._watchdog.start()
        host.stored.follow()
        self._definitions = DefinitionWatch(self._definition_places, host.changes.definitions_changed)
        self._definitions.start()
        return host

    def settings_with(self, sent: dict[str, Any] | None) -> SettingsStore:
        """Return the settings of the file, overridden by those of the client. Raises InvalidParams."""
        store = SettingsStore(self._raw_settings)
        if sent:
            store.update(sent)
        return store

    def grant_trust(self) -> None:
        """Note that the user trusts the workspace."""
        self.workspace = Workspace(self.workspace.folders, trusted=True)

    def require_trust(self) -> None:
        """Raise NotTrusted unless the user trusts the workspace."""
        if not self.workspace.trusted:
            raise NotTrusted(
                "the workspace is not trusted, so no subagent can be launched; trust it in the editor "
                "(workspaceTrusted in initialize, or the notification workspace/didGrantTrust)"
            )

    def set_busy(self, busy: bool) -> None:
        """Note whether the client's agent is in a turn. When it becomes idle, deliver pending reminders."""
        turned_idle = self._busy and not busy
        self._busy = busy
        if turned_idle:
            self._agent_became_idle()

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

    def run_changed(self, task: AsyncTask) -> None:
        """Send `asyncTasks/didChange`. A slow client gets only the newest state of each task."""
        change = AsyncTaskDidChange(task=task, revision=self.host.revision)
        self.connection.notify("asyncTasks/didChange", change, coalesce=task.id)

    def history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        """Send `tasks/didChange`."""
        change = TasksDidChange(revision=self.host.revision, added=added, changed=changed, removed=removed)
        self.connection.notify("tasks/didChange", change)

    def definitions_changed(self) -> None:
        """Send `subagents/didChange`."""
        change = SubagentsDidChange(revision=self.host.revision)
        self.connection.notify("subagents/didChange", change, coalesce="definitions")

    async def shut_down(self, *, cancel_running: bool) -> None:
        """Shut down; only `exit` may follow."""
        self._shut_down = True
        if cancel_running:
            await self.host.control.cancel_all(by="user")
        await self.aclose()

    def begin_close(self) -> None:
        """Start to end the Host; the last requests may still be answered."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())

    async def aclose(self) -> None:
        """End the Host and the services of this client within 3 s. Idempotent."""
        self.begin_close()
        assert self._closing is not None
        await asyncio.shield(self._closing)

    def _definition_places(self) -> "list[DefinitionDirectory]":
        return self.host.definitions.places(self.workspace)

    async def _close(self) -> None:
        if self._host is not None:
            await self._host.end_runs()
            await self.output.aclose()
            await self._host.aclose()
            self._unlisten()
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
            logger.info("the client took no turn: %s", error)
            return False
        return isinstance(answer, dict) and answer.get("accepted") is True

    def _parent_died(self) -> None:
        logger.warning("the client's process has exited; the sidecar exits too")
        self.connection.request_exit(1)
