"""The method table: every name on the wire with its types."""

from dataclasses import dataclass
from typing import Any, Literal

from sidecar.api import lifecycle, model
from sidecar.api.base import NoParams
from sidecar.api.runs import async_tasks, fleet, launches, permissions, requests, subagents
from sidecar.api.stored import doctor, export, files, housekeeping, search, stats, tasks

Kind = Literal["request", "notification"]
Direction = Literal["toServer", "toClient"]


@dataclass(frozen=True)
class MethodSpec:
    """One method: its parameters, its result (None = null) and who sends it.

    A request that `waits` is answered when something has happened; such requests have their own limit.
    `deprecated` names the method to use instead.
    """

    params: type[Any]
    result: type[Any] | None = None
    kind: Kind = "request"
    direction: Direction = "toServer"
    waits: bool = False
    deprecated: str | None = None


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
    "settings/didChange": _to_client(lifecycle.SettingsDidChange),
    "$/progress": _to_client(lifecycle.ProgressMessage),
    "fleet/status": MethodSpec(fleet.FleetStatusParams, fleet.FleetStatus),
    "tasks/list": MethodSpec(tasks.ListParams, tasks.ListResult),
    "tasks/get": MethodSpec(tasks.GetParams, tasks.GetResult),
    "tasks/messages": MethodSpec(tasks.MessagesParams, tasks.MessagesResult),
    "tasks/refresh": MethodSpec(tasks.RefreshParams, tasks.RevisionResult),
    "tasks/stats": MethodSpec(stats.StatsParams, stats.StatsResult),
    "tasks/search": MethodSpec(search.SearchParams, search.SearchResult),
    "tasks/files": MethodSpec(files.FilesParams, files.FilesResult),
    "tasks/byFile": MethodSpec(files.ByFileParams, files.ByFileResult),
    "tasks/export": MethodSpec(export.ExportParams, export.ExportResult),
    "tasks/delete": MethodSpec(housekeeping.TaskIdsParams, housekeeping.HousekeepingResult),
    "tasks/restore": MethodSpec(housekeeping.TaskIdsParams, housekeeping.HousekeepingResult),
    "tasks/archive": MethodSpec(housekeeping.TaskIdsParams, housekeeping.HousekeepingResult),
    "tasks/listRemoved": MethodSpec(housekeeping.ListRemovedParams, housekeeping.ListRemovedResult),
    "tasks/putAway": MethodSpec(
        housekeeping.ListRemovedParams, housekeeping.ListRemovedResult, deprecated="tasks/listRemoved"
    ),
    "history/doctor": MethodSpec(doctor.DoctorParams, doctor.DoctorResult),
    "tasks/didChange": _to_client(tasks.TasksDidChange),
    "runners/list": MethodSpec(NoParams, lifecycle.RunnersResult),
    "subagents/list": MethodSpec(NoParams, subagents.SubagentsResult),
    "subagents/validate": MethodSpec(subagents.ValidateParams, subagents.SubagentsResult),
    "subagents/didChange": _to_client(subagents.SubagentsDidChange),
    "asyncTasks/launch": MethodSpec(launches.LaunchParams, launches.TaskResult),
    "asyncTasks/list": MethodSpec(requests.AsyncListParams, requests.AsyncListResult),
    "asyncTasks/get": MethodSpec(launches.TaskIdParams, launches.TaskResult),
    "asyncTasks/cancel": MethodSpec(requests.CancelParams, requests.CancelResult),
    "asyncTasks/cancelAll": MethodSpec(requests.CancelAllParams, requests.CancelAllResult),
    "asyncTasks/send": MethodSpec(requests.SendParams, requests.SendResult),
    "asyncTasks/resume": MethodSpec(launches.ResumeParams, launches.ResumeResult),
    "asyncTasks/startNow": MethodSpec(launches.TaskIdParams, launches.TaskResult),
    "asyncTasks/reorder": MethodSpec(requests.ReorderParams, requests.ReorderResult),
    "asyncTasks/setMax": MethodSpec(requests.SetMaxParams, requests.SetMaxResult),
    "asyncTasks/wait": MethodSpec(requests.WaitParams, requests.WaitResult, waits=True),
    "asyncTasks/events": MethodSpec(requests.EventsParams, requests.EventsResult),
    "asyncTasks/subscribe": MethodSpec(requests.SubscribeParams, requests.SubscribeResult),
    "asyncTasks/unsubscribe": MethodSpec(launches.TaskIdParams),
    "asyncTasks/answer": MethodSpec(permissions.AnswerParams, launches.TaskResult),
    "permissions/list": MethodSpec(NoParams, permissions.PermissionsResult),
    "permissions/revoke": MethodSpec(permissions.RevokeParams, permissions.RevokeResult),
    "asyncTasks/didChange": _to_client(async_tasks.AsyncTaskDidChange),
    "asyncTasks/didRemove": _to_client(async_tasks.AsyncTasksDidRemove),
    "asyncTasks/didOutput": _to_client(async_tasks.AsyncTaskDidOutput),
    "tools/list": MethodSpec(NoParams, model.ToolsResult),
    "tools/call": MethodSpec(model.ToolCallParams, model.ToolCallResult),
    "reminders/status": MethodSpec(NoParams, model.ReminderStatus),
    "reminders/next": MethodSpec(model.NextReminderParams, model.NextReminder),
    "reminders/delivered": MethodSpec(model.DeliveredParams),
    "reminders/outbox": MethodSpec(NoParams, model.OutboxResult),
    "agent/setBusy": _to_server(model.SetBusyParams),
    "agent/triggerTurn": MethodSpec(model.TriggerTurn, model.TriggerAnswer, direction="toClient"),
}
"""The connection itself handles `$/cancelRequest`."""
