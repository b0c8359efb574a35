"""The life of a connection: initialize, settings, health, shutdown."""

from typing import Annotated, Any, Literal

from sidecar.api.base import Params, Record, Shape
from sidecar.api.runs.runners import AgentChoices, AgentFeatures, RunnerAuth, SlashCommand

PROTOCOL_VERSION = 1
RawSettings = Annotated[dict[str, Any], Shape("Settings")]
"""Unchecked settings; `app.settings` checks them and reports each problem by its key."""


class ClientInfo(Params, kw_only=True):
    """Who the client is, for the log."""

    name: str
    """The name of the program, such as `vscode`."""
    version: str | None = None
    """Its version."""


class InitializeParams(Params, kw_only=True):
    """Parameters of `initialize`; an absent `workspace_trusted` means false."""

    protocol_version: int
    """The version of the protocol that the client speaks: 1."""
    client_info: ClientInfo | None = None
    """Who the client is. Used in logs."""
    process_id: int | None = None
    """The process ID of the client. The sidecar exits when this process dies."""
    storage_root: str | None = None
    """The absolute path of the own root. Default: `--storage-root`, then `SIDECAR_STORAGE_ROOT`, then the
    user's data directory.
    """
    foreign_roots: list[str] | None = None
    """Absolute paths of roots to read besides the own root."""
    workspace_folders: list[str] | None = None
    """Absolute paths of the open folders. The first one is the default working directory of runs."""
    workspace_trusted: bool = False
    """Whether the user trusts the workspace. Launching needs trust."""
    own_definitions_only: bool = False
    """Allow launches in a workspace that is not trusted, with the user's own definitions only."""
    answers_questions: bool = True
    """Whether this client shows permission requests and can answer them. Runs are unattended without one."""
    piggyback: bool = False
    """Attach pending reminders to the results of `tools/call`, as `reminder`. The client's next message
    acknowledges such a reminder, unless it cancels that request.
    """
    settings: RawSettings | None = None
    """Settings of this client. They take precedence over the configuration file."""


class ServerInfo(Record, kw_only=True):
    """The sidecar's name and version."""

    name: str
    """Always `subagent-sidecar`."""
    version: str
    """The version of the sidecar."""


class RunnerInfo(Record, kw_only=True):
    """One configured runner, and whether it can be used; if not, `reason` names the cause and the remedy."""

    name: str
    """The name that definitions use."""
    type: Literal["acp", "command", "builtin"]
    """How the runner executes a subagent."""
    available: bool
    """Whether its program was found."""
    reason: str | None = None
    """Why it is not available and what to do. Absent if it is."""
    auth: RunnerAuth | None = None
    """How to sign in. Absent if that is not known before the Host has started the agent."""
    commands: list[SlashCommand] | None = None
    """The slash commands of the agent. Absent before its first session, and if it has none."""
    choices: AgentChoices | None = None
    """The models, modes and efforts that its last session offered. Absent before its first session."""
    features: AgentFeatures | None = None
    """What the agent supports. Absent before the Host has started it."""


class InitializeResult(Record, kw_only=True):
    """What the sidecar is and can do; `instance_id` changes with every process."""

    protocol_version: int
    """The version of the protocol that the sidecar speaks."""
    server_info: ServerInfo
    """Name and version of the sidecar."""
    storage_root: str
    """The absolute path of the own root."""
    methods: list[str]
    """The methods that this sidecar implements."""
    runners: list[RunnerInfo]
    """The configured runners and the agents found on this machine."""
    instance_id: str
    """Changes with every process. A client that sees a new one must list everything again."""
    ignored_settings: list[str] | None = None
    """Settings of `initialize` that concern the shared Host and were not applied. Send them with
    `settings/update`. Absent if there are none.
    """


class MissingAdapter(Record, kw_only=True):
    """An agent that is installed but cannot be used yet: the adapter that speaks the protocol is missing."""

    runner: str
    """The name that the agent's runner will have."""
    program: str
    """The agent's own program, which was found."""
    adapter: str
    """The program that is missing."""
    install: list[str]
    """The command that installs it. The sidecar never runs it."""


class RunnersResult(Record, kw_only=True):
    """The answer of `runners/list`: the runners of the settings and the agents found now.

    Runners that can be used come first.
    """

    items: list[RunnerInfo]
    """The runners that can be used, then the others with the reason."""
    missing_adapters: list[MissingAdapter] | None = None
    """Installed agents that only lack their adapter. Absent if there are none."""


class ShutdownParams(Params, kw_only=True):
    """Parameters of `shutdown`."""

    cancel_running: bool = False
    """Cancel running tasks instead of ending them as `failed` with `hostExit`."""


class SettingsUpdateParams(Params, kw_only=True):
    """Parameters of `settings/update`: the given members replace the current ones."""

    settings: dict[str, Any]
    """Members of `Settings` to replace; null removes what clients set. Others keep their value."""


class SettingsDidChange(Record, kw_only=True):
    """Notification `settings/didChange`: another client has changed settings of the shared Host."""

    settings: dict[str, Any]
    """The changed members of `Settings`, as that client sent them; null for those that it has removed."""


class AsyncTaskCounts(Record, kw_only=True):
    """How many async tasks run and wait; `running` counts those that hold a slot, see `AsyncListResult`."""

    running: int
    """Tasks that hold a slot."""
    queued: int
    """Tasks that wait for a slot."""


class WatcherHealth(Record, kw_only=True):
    """How changes on disk are detected."""

    mode: str
    """`watch`: the system reports changes. `poll`: files are checked periodically. `none`: not watching."""
    watches: int
    """Number of watched folders."""
    last_reconcile_at: int | None = None
    """When the last full scan ended, in ms since the epoch. Absent before the first one."""


class QueueHealth(Record, kw_only=True):
    """Entries waiting to be written."""

    outbound: int
    """Messages waiting to be written to the client."""
    journal: int
    """Entries waiting to be written to the journal."""


class Health(Record, kw_only=True):
    """The answer of `health`."""

    version: str
    """The version of the sidecar."""
    uptime_ms: int
    """Time since the start, in ms."""
    rss_bytes: int
    """Resident memory, in bytes."""
    clients: int
    """Connected clients that can answer questions, such as editor windows, this one included."""
    tasks_indexed: int
    """Stored tasks known from all roots."""
    async_tasks: AsyncTaskCounts
    """Running and queued tasks."""
    watcher: WatcherHealth
    """How changes on disk are detected."""
    queues: QueueHealth
    """Lengths of internal queues."""


class LogMessage(Record, kw_only=True):
    """Notification `log`, server to client."""

    level: Literal["debug", "info", "warning", "error"]
    """How severe it is."""
    message: str
    """One line for a person."""


class ProgressMessage(Record, kw_only=True):
    """Notification `$/progress` for a request that carried `workDoneToken`.

    `value` is `{kind: "begin", title}`, `{kind: "report", message, percentage?}` or `{kind: "end"}`.
    `tools/call` sends reports only, and their messages are text of the subagent. `tasks/search`,
    `tasks/byFile` and `history/doctor` report a percentage, 0 to 100.
    """

    token: str | int
    """The `workDoneToken` of the request."""
    value: dict[str, Any]
    """`{kind: "begin" | "report" | "end", title?, message?, percentage?}`."""
