"""The settings, as JSON-RPC `settings` and as TOML: one declaration, unknown keys refused by name."""

from typing import Annotated, Literal

import msgspec

from sidecar.api.base import Params
from sidecar.api.permissions import Policy

Positive = Annotated[int, msgspec.Meta(ge=1)]
UNLIMITED = -1
LimitOrNone = Annotated[int, msgspec.Meta(ge=-1)]
"""-1 means unlimited; 0 allows none."""
Seconds = int | float
"""A positive number of seconds, or -1 for none; `app.settings` checks it with the key's name."""


class Group(Params, kw_only=True):
    """One table of settings: unknown keys are refused by name."""


class AsyncTasksSettings(Group, kw_only=True):
    """`asyncTasks`: limits of background runs; times in seconds, -1 = none."""

    max: LimitOrNone = 5
    over_limit: Literal["reject", "queue"] = "reject"
    default_timeout_seconds: Seconds = 900
    max_timeout_seconds: Seconds = 1800
    inactivity_timeout_seconds: Seconds = 600
    startup_timeout_seconds: Seconds = 60
    grace_period_seconds: Seconds = 10
    max_depth: Annotated[int, msgspec.Meta(ge=0)] = 1
    per_runner_max: dict[str, LimitOrNone] = msgspec.field(default_factory=dict)


class BudgetSettings(Group, kw_only=True):
    """`budget`: what a task and a day may cost (USD) and use (tokens)."""

    per_task_cost: float | None = None
    per_task_tokens: int | None = None
    per_day_cost: float | None = None
    per_day_tokens: int | None = None


class PermissionsSettings(Group, kw_only=True):
    """`permissions`: how requests of an agent are answered."""

    default: Policy = "ask"
    unattended: Literal["deny", "allowReads", "allowEdits", "allowAll"] = "deny"


class AgentsSettings(Group, kw_only=True):
    """`agents`: further directories of definitions, which win over all others, and approved definitions.

    `approved` holds the `approval` texts of `subagents/list`: definitions of a workspace whose policy may be
    wider than `permissions.default`.
    """

    directories: list[str] = msgspec.field(default_factory=list)
    approved: list[str] = msgspec.field(default_factory=list)


class RunnerSettings(Group, kw_only=True):
    """One runner: how a subagent is executed."""

    type: Literal["acp", "command", "builtin"]
    command: list[str] | None = None
    env: dict[str, str] = msgspec.field(default_factory=dict)
    format: Literal["text", "events"] = "text"


class HistorySettings(Group, kw_only=True):
    """`history`: whose stored tasks are listed, and by which rules.

    The own root's tasks older than `retention_days`, and the oldest beyond `max_bytes`, go to the trash
    (absent: none), where they stay for `trash_days` (-1: for ever). `search` allows the full-text index.
    """

    foreign_roots: list[str] = msgspec.field(default_factory=list)
    auto_discover: bool = False
    rules: Literal["structural", "guide"] = "structural"
    retention_days: Positive | None = None
    max_bytes: Positive | None = None
    trash_days: LimitOrNone = 30
    search: bool = True


class RemindersSettings(Group, kw_only=True):
    """`reminders`: what the model learns of ended tasks."""

    detail: Literal["full", "summary", "pointer"] = "full"
    max_chars: Positive = 20_000
    notify_cancelled: bool = True
    enrich: bool = False


class ToolsSettings(Group, kw_only=True):
    """`tools`: bounds of what a tool answers, in characters."""

    max_chars: Positive = 20_000


class HostSettings(Group, kw_only=True):
    """`host`: how long a shared Host outlives its clients."""

    survive_minutes: int | float = 30
    idle_seconds: int | float = 10


class Settings(Group, kw_only=True):
    """All settings of a Host."""

    async_tasks: AsyncTasksSettings = msgspec.field(default_factory=AsyncTasksSettings)
    budget: BudgetSettings = msgspec.field(default_factory=BudgetSettings)
    permissions: PermissionsSettings = msgspec.field(default_factory=PermissionsSettings)
    agents: AgentsSettings = msgspec.field(default_factory=AgentsSettings)
    runners: dict[str, RunnerSettings] = msgspec.field(default_factory=dict)
    default_runner: str | None = None
    history: HistorySettings = msgspec.field(default_factory=HistorySettings)
    reminders: RemindersSettings = msgspec.field(default_factory=RemindersSettings)
    tools: ToolsSettings = msgspec.field(default_factory=ToolsSettings)
    host: HostSettings = msgspec.field(default_factory=HostSettings)
