"""The settings, as JSON-RPC `settings` and as TOML: one declaration, unknown keys refused by name."""

from typing import Annotated, Literal, Protocol

import msgspec

from sidecar.api.base import Params
from sidecar.api.mcp_servers import McpServerEntry
from sidecar.api.runs.permissions import Policy
from sidecar.api.stored.tasks import Product

Positive = Annotated[int, msgspec.Meta(ge=1)]
UNLIMITED = -1
PositiveSeconds = Annotated[float, msgspec.Meta(gt=0)]
LimitOrNone = Annotated[int, msgspec.Meta(ge=-1)]
"""-1 means unlimited; 0 allows none."""
Seconds = int | float
"""A positive number of seconds, or -1 for none; `app.settings` checks it with the key's name."""


class Group(Params, kw_only=True):
    """One table of settings: unknown keys are refused by name."""


class AsyncTasksSettings(Group, kw_only=True):
    """`asyncTasks`: limits of background runs; times in seconds, -1 = none."""

    max: LimitOrNone = 5
    """How many runs can be active at once, -1 for no limit."""
    over_limit: Literal["reject", "queue"] = "reject"
    """What to do with a launch at the limit."""
    default_timeout_seconds: Seconds = 900
    """The time limit of runs that do not ask for one, in seconds; -1 for none."""
    max_timeout_seconds: Seconds = 1800
    """The longest time limit that a run can ask for, in seconds; -1 for any."""
    inactivity_timeout_seconds: Seconds = 600
    """End a run that shows no activity for this many seconds; -1 for never."""
    startup_timeout_seconds: Seconds = 60
    """End a run whose agent is not ready after this many seconds; -1 for never."""
    grace_period_seconds: Seconds = 10
    """Time for a last turn when the time or the turns are used up, in seconds; 0 or -1 for none."""
    max_depth: Annotated[int, msgspec.Meta(ge=0)] = 1
    """How deeply runs may be nested; with 1 they cannot launch runs."""
    per_runner_max: dict[str, LimitOrNone] = msgspec.field(default_factory=dict)
    """How many runs each runner can have at once, by its name; -1 or absent for no limit."""


class BudgetSettings(Group, kw_only=True):
    """`budget`: what a task and a day may cost (USD) and use (tokens)."""

    per_task_cost: float | None = None
    """The maximum cost of a run, in USD. Default: no limit."""
    per_task_tokens: int | None = None
    """The maximum number of tokens of a run. Default: no limit."""
    per_day_cost: float | None = None
    """The maximum cost of all runs of a calendar day, in USD. Default: no limit."""
    per_day_tokens: int | None = None
    """The maximum number of tokens of all runs of a calendar day. Default: no limit."""


class PermissionsSettings(Group, kw_only=True):
    """`permissions`: how requests of an agent are answered."""

    default: Policy = "ask"
    """The policy of definitions that set none."""
    unattended: Literal["deny", "allowReads", "allowEdits", "allowAll"] = "deny"
    """The policy when no client can answer."""


class AgentsSettings(Group, kw_only=True):
    """`agents`: additional directories of definitions, which take precedence, and approved definitions.

    `approved` holds the `approval` texts of `subagents/list`: definitions of a workspace whose policy may be
    wider than `permissions.default`.
    """

    directories: list[str] = msgspec.field(default_factory=list)
    """Additional folders of definitions. They take precedence over all others."""
    approved: list[str] = msgspec.field(default_factory=list)
    """`approval` texts of definitions that may have a wider policy."""
    workspace_mcp_servers: bool = False
    """Give agents the MCP servers in the `.mcp.json` of a trusted workspace too."""


class RunnerSettings(Group, kw_only=True):
    """One runner: how a subagent is executed."""

    type: Literal["acp", "command", "builtin"]
    """How the runner executes a subagent."""
    command: list[str] | None = None
    """Program and arguments. Required for `acp` and `command` unless the agent is known by its name."""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    """Environment variables to add. Their values are never logged."""
    format: Literal["text", "events"] = "text"
    """What a command prints: plain text, or events as JSON lines."""
    placement: Literal["local", "ray"] | None = None
    """Where its runs work: on this machine, or on the cluster of `fleet`. A definition or a launch takes
    precedence. Default: this machine.
    """


class HistorySettings(Group, kw_only=True):
    """`history`: whose stored tasks are listed, and by which rules.

    The own root's tasks older than `retention_days`, and the oldest beyond `max_bytes`, go to the trash
    (absent: none), where they stay for `trash_days` (-1: forever). `search` allows the full-text index.
    """

    foreign_roots: list[str] = msgspec.field(default_factory=list)
    """Absolute paths of further roots to read."""
    auto_discover: bool = False
    """Read every store that is found on this machine."""
    rules: Literal["structural", "guide"] = "structural"
    """The rule set of lists."""
    retention_days: Positive | None = None
    """Move the own root's tasks to the trash after this many days. Default: never."""
    max_bytes: Positive | None = None
    """Move the own root's oldest tasks to the trash beyond this size, in bytes. Default: never."""
    trash_days: LimitOrNone = 30
    """Delete tasks in the trash permanently after this many days, -1 for never."""
    search: bool = True
    """Build an index for full-text search."""
    keep: list[Product] = msgspec.field(default_factory=list)
    """Keep copies of the sessions of these products before the products delete them."""
    keep_max_bytes: Positive = 5_000_000_000
    """The maximum size of the copies of one store, in bytes. Beyond it, no more copies are made."""
    estimate_cost: bool = False
    """Estimate costs that are not recorded, with the price table of the extra `prices`."""


ReminderScope = Literal["workspace", "client", "all"]
"""Which runs a client's model is notified of."""


class RemindersSettings(Group, kw_only=True):
    """`reminders`: how the model is notified of ended tasks."""

    detail: Literal["full", "summary", "pointer"] = "full"
    """How much of each result a reminder contains."""
    max_chars: Positive = 20_000
    """The longest reminder, in characters."""
    notify_cancelled: bool = True
    """Also report runs that the user or another model cancelled."""
    enrich: bool = False
    """Add subagent name, goal and partial result to each block, and IDs and goals to the summary."""
    scope: ReminderScope = "workspace"
    """Which runs a model is notified of: those of its workspace, of its client only, or all."""


class ToolsSettings(Group, kw_only=True):
    """`tools`: bounds of what a tool answers, in characters."""

    max_chars: Positive = 20_000
    """The longest text of a tool result, in characters."""


class HostSettings(Group, kw_only=True):
    """`host`: how long a shared Host outlives its clients."""

    survive_minutes: int | float = 30
    """How long runs continue without a client, in minutes; -1 means without a limit."""
    idle_seconds: int | float = 10
    """How long a Host without clients and runs stays, in seconds."""
    on_last_window_close: Literal["keep", "stop"] = "keep"
    """What happens to runs when the last client that can answer questions has left: `keep` lets them continue
    for `surviveMinutes`, `stop` ends them 30 seconds later.
    """


class JournalSettings(Group, kw_only=True):
    """`journal`: how long the journal keeps ended runs, and how large it may grow."""

    retention_days: Positive = 90
    """Remove runs and their events this many days after their end."""
    max_megabytes: Positive = 500
    """Beyond this size, in units of 1,000,000 bytes, remove the events of the oldest runs, then the runs."""


class FleetSettings(Group, kw_only=True):
    """`fleet`: the Ray cluster for runs with `placement: ray`."""

    gateway: list[str] | None = None
    """The command that starts the gateway on a node of the cluster: `python -m sidecar.fleet.gateway`, or the
    same through ssh or kubectl.
    """
    address: str = "auto"
    """The address of the cluster for the gateway: `auto` on a node of it, else HOST:PORT of its head."""
    namespace: str = "subagent-sidecar"
    """The namespace of the runs on the cluster."""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    """The labels that a node must have."""
    slots_per_run: Positive = 1
    """How many of a node's slots each run takes."""
    token_path: str | None = None
    """The file with the token of the cluster, on the gateway's machine."""
    heartbeat_seconds: PositiveSeconds = 5
    """How often a run without output reports that it is alive."""
    lost_after_seconds: PositiveSeconds = 30
    """How long a run may be silent before it counts as lost."""


class Settings(Group, kw_only=True):
    """All settings of a Host."""

    async_tasks: AsyncTasksSettings = msgspec.field(default_factory=AsyncTasksSettings)
    """Limits of runs."""
    budget: BudgetSettings = msgspec.field(default_factory=BudgetSettings)
    """Limits of cost and tokens."""
    permissions: PermissionsSettings = msgspec.field(default_factory=PermissionsSettings)
    """How permission requests are answered."""
    agents: AgentsSettings = msgspec.field(default_factory=AgentsSettings)
    """Where definitions are."""
    runners: dict[str, RunnerSettings] = msgspec.field(default_factory=dict)
    """Runners by name."""
    mcp_servers: dict[str, McpServerEntry] = msgspec.field(default_factory=dict)
    """MCP servers by name. Every agent gets them, unless its definition lists others."""
    default_runner: str | None = None
    """The runner of definitions that name none; `auto` takes the first agent found."""
    history: HistorySettings = msgspec.field(default_factory=HistorySettings)
    """Stored tasks."""
    reminders: RemindersSettings = msgspec.field(default_factory=RemindersSettings)
    """What a model is notified of."""
    tools: ToolsSettings = msgspec.field(default_factory=ToolsSettings)
    """Limits of tool results."""
    host: HostSettings = msgspec.field(default_factory=HostSettings)
    """The shared Host."""
    fleet: FleetSettings = msgspec.field(default_factory=FleetSettings)
    """The cluster for runs that this machine does not execute."""
    journal: JournalSettings = msgspec.field(default_factory=JournalSettings)
    """Runs that the journal keeps."""


class SettingsSource(Protocol):
    """Holds the settings in force, which may change at any time."""

    @property
    def current(self) -> Settings:
        """The settings now."""
