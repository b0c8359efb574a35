"""The life of a connection: initialize, settings, health, shutdown."""

from typing import Annotated, Any, Literal

from sidecar.api.base import Params, Record, Shape

PROTOCOL_VERSION = 1
RawSettings = Annotated[dict[str, Any], Shape("Settings")]
"""Settings as they came; `app.settings` checks them and names each fault by its key."""


class ClientInfo(Params, kw_only=True):
    """Who the client is, for the log."""

    name: str
    version: str | None = None


class InitializeParams(Params, kw_only=True):
    """Parameters of `initialize`; an absent `workspace_trusted` means false."""

    protocol_version: int
    client_info: ClientInfo | None = None
    process_id: int | None = None
    storage_root: str | None = None
    foreign_roots: list[str] | None = None
    workspace_folders: list[str] | None = None
    workspace_trusted: bool = False
    settings: RawSettings | None = None


class ServerInfo(Record, kw_only=True):
    """The sidecar's name and version."""

    name: str
    version: str


class RunnerInfo(Record, kw_only=True):
    """One configured runner, and whether it can be used; if not, `reason` names the cause and the remedy."""

    name: str
    type: Literal["acp", "command", "builtin"]
    available: bool
    reason: str | None = None


class InitializeResult(Record, kw_only=True):
    """What the sidecar is and can do; `instance_id` changes with every process."""

    protocol_version: int
    server_info: ServerInfo
    storage_root: str
    methods: list[str]
    runners: list[RunnerInfo]
    instance_id: str


class RunnersResult(Record, kw_only=True):
    """The answer of `runners/list`: the runners of the settings and the agents found now."""

    items: list[RunnerInfo]


class ShutdownParams(Params, kw_only=True):
    """Parameters of `shutdown`."""

    cancel_running: bool = False


class SettingsUpdateParams(Params, kw_only=True):
    """Parameters of `settings/update`: the members given replace those in force."""

    settings: RawSettings


class AsyncTaskCounts(Record, kw_only=True):
    """How many async tasks run and wait; `running` are those that hold a slot, see `AsyncListResult`."""

    running: int
    queued: int


class WatcherHealth(Record, kw_only=True):
    """How changes on disk are seen."""

    mode: str
    watches: int
    last_reconcile_at: int | None = None


class QueueHealth(Record, kw_only=True):
    """Entries waiting to be written."""

    outbound: int
    journal: int


class Health(Record, kw_only=True):
    """The answer of `health`."""

    version: str
    uptime_ms: int
    rss_bytes: int
    tasks_indexed: int
    async_tasks: AsyncTaskCounts
    watcher: WatcherHealth
    queues: QueueHealth


class LogMessage(Record, kw_only=True):
    """Notification `log`, server to client."""

    level: Literal["debug", "info", "warning", "error"]
    message: str


class ProgressMessage(Record, kw_only=True):
    """Notification `$/progress` for a request that carried `workDoneToken`.

    `value` is `{kind: "begin", title}`, `{kind: "report", message}` or `{kind: "end"}`; `tools/call` sends
    reports only.
    """

    token: str | int
    value: dict[str, Any]
