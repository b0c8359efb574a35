"""The method table: every name on the wire with the types that go with it."""

from dataclasses import dataclass
from typing import Any, Literal

from sidecar.api import async_tasks, insight, lifecycle, model, permissions, subagents, tasks
from sidecar.api.base import NoParams

Kind = Literal["request", "notification"]
Direction = Literal["toServer", "toClient"]


@dataclass(frozen=True)
class MethodSpec:
    """One method: its parameters, its result (None = null) and who sends it.

    A request that `waits` is answered when something has happened; such requests have their own limit.
    """

    params: type[Any]
    result: type[Any] | None = None
    kind: Kind = "request"
    direction: Direction = "toServer"
    waits: bool = False


def _to_server(params: type[Any]) -> MethodSpec:
    return MethodSpec(params, kind="notification")


def _to_client(params: type[Any]) -> MethodSpec:
    return MethodSpec(params, kind="notification", direction="toClient")


METHODS: dict[str, MethodSpec] = {
    "initialize": MethodSpec(lifecycle.InitializeParams, lifecycle.InitializeResult),
    "shutdown": MethodSpec(lifecycle.ShutdownParams),
    "exit": _to_server(NoParams),
    "settings/update": MethodSpec(lifecycle.SettingsUpdateParams),
    "workspace/didGrantTrust": _to_server(NoParams),
    "health": MethodSpec(NoParams, lifecycle.Health),
    "log": _to_client(lifecycle.LogMessage),
    "$/progress": _to_client(lifecycle.ProgressMessage),
    "tasks/list": MethodSpec(tasks.ListParams, tasks.ListResult),
    "tasks/get": MethodSpec(tasks.GetParams, tasks.GetResult),
    "tasks/messages": MethodSpec(tasks.MessagesParams, tasks.MessagesResult),
    "tasks/refresh": MethodSpec(tasks.RefreshParams, tasks.RevisionResult),
    "tasks/stats": MethodSpec(insight.StatsParams, insight.StatsResult),
    "tasks/search": MethodSpec(insight.SearchParams, insight.SearchResult),
    "tasks/files": MethodSpec(insight.FilesParams, insight.FilesResult),
    "tasks/byFile": MethodSpec(insight.ByFileParams, insight.ByFileResult),
    "tasks/export": MethodSpec(insight.ExportParams, insight.ExportResult),
    "tasks/delete": MethodSpec(insight.TaskIdsParams, insight.HousekeepingResult),
    "tasks/restore": MethodSpec(insight.TaskIdsParams, insight.HousekeepingResult),
    "tasks/archive": MethodSpec(insight.TaskIdsParams, insight.HousekeepingResult),
    "tasks/putAway": MethodSpec(insight.PutAwayParams, insight.PutAwayResult),
    "history/doctor": MethodSpec(insight.DoctorParams, insight.DoctorResult),
    "tasks/didChange": _to_client(tasks.TasksDidChange),
    "runners/list": MethodSpec(NoParams, lifecycle.RunnersResult),
    "subagents/list": MethodSpec(NoParams, subagents.SubagentsResult),
    "subagents/validate": MethodSpec(subagents.ValidateParams, subagents.SubagentsResult),
    "subagents/didChange": _to_client(subagents.SubagentsDidChange),
    "asyncTasks/launch": MethodSpec(async_tasks.LaunchParams, async_tasks.TaskResult),
    "asyncTasks/list": MethodSpec(async_tasks.AsyncListParams, async_tasks.AsyncListResult),
    "asyncTasks/get": MethodSpec(async_tasks.TaskIdParams, async_tasks.TaskResult),
    "asyncTasks/cancel": MethodSpec(async_tasks.CancelParams, async_tasks.CancelResult),
    "asyncTasks/cancelAll": MethodSpec(NoParams, async_tasks.CancelAllResult),
    "asyncTasks/send": MethodSpec(async_tasks.SendParams, async_tasks.SendResult),
    "asyncTasks/resume": MethodSpec(async_tasks.ResumeParams, async_tasks.ResumeResult),
    "asyncTasks/reorder": MethodSpec(async_tasks.ReorderParams, async_tasks.ReorderResult),
    "asyncTasks/setMax": MethodSpec(async_tasks.SetMaxParams, async_tasks.SetMaxResult),
    "asyncTasks/wait": MethodSpec(async_tasks.WaitParams, async_tasks.WaitResult, waits=True),
    "asyncTasks/events": MethodSpec(async_tasks.EventsParams, async_tasks.EventsResult),
    "asyncTasks/subscribe": MethodSpec(async_tasks.SubscribeParams, async_tasks.SubscribeResult),
    "asyncTasks/unsubscribe": MethodSpec(async_tasks.TaskIdParams),
    "asyncTasks/answer": MethodSpec(permissions.AnswerParams, async_tasks.TaskResult),
    "permissions/list": MethodSpec(NoParams, permissions.PermissionsResult),
    "permissions/revoke": MethodSpec(permissions.RevokeParams, permissions.RevokeResult),
    "asyncTasks/didChange": _to_client(async_tasks.AsyncTaskDidChange),
    "asyncTasks/didOutput": _to_client(async_tasks.AsyncTaskDidOutput),
    "tools/list": MethodSpec(NoParams, model.ToolsResult),
    "tools/call": MethodSpec(model.ToolCallParams, model.ToolCallResult),
    "reminders/status": MethodSpec(NoParams, model.ReminderStatus),
    "reminders/next": MethodSpec(NoParams, model.NextReminder),
    "reminders/delivered": MethodSpec(model.DeliveredParams),
    "reminders/outbox": MethodSpec(NoParams, model.OutboxResult),
    "agent/setBusy": _to_server(model.SetBusyParams),
    "agent/triggerTurn": MethodSpec(model.TriggerTurn, model.TriggerAnswer, direction="toClient"),
}
"""`$/cancelRequest` belongs to the wire itself, which handles it."""
