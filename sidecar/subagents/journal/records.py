"""The journal's record of a run: the task that clients see, and data for the Host only."""

import contextlib
from typing import Any, Literal, NamedTuple

import msgspec

from sidecar.api.runs.async_tasks import AsyncStatus, AsyncTask, Progress
from sidecar.subagents.journal import codec

Origin = Literal["client", "model"]
DeliveryState = Literal["open", "superseded", "failed", "delivered"]


class RunRecord(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """One run as the journal keeps it.

    `request` contains the original launch parameters, never an environment. `sync` runs are listed, but the
    model is not notified of them. `notify_model` is the choice of the client that launched the run.
    `restored` marks an end that an earlier process recorded. `wants_notice` marks a cancel that the model did
    not request and should be notified of. `session_id` is the agent's session, if a later run can resume it.
    `client_id` identifies the connection that launched the run. `delegated` marks a run that its parent
    launched with the sidecar's tools: its end concerns the parent only. An `unreadable` record replaces a
    row that cannot be read. `remote` is a `RemoteRecord`, for a run on a cluster; `has_changes` says that
    its changes are in the repository, and `has_left` that nothing of it is left on the cluster.
    """

    task: AsyncTask
    origin: Origin
    sync: bool = False
    notify_model: bool = False
    request: dict[str, Any]
    restored: bool = False
    wants_notice: bool = False
    session_id: str | None = None
    unreadable: bool = False
    client_id: str = ""
    delegated: bool = False
    remote: dict[str, Any] | None = None
    has_changes: bool = False
    has_left: bool = False

    @property
    def launcher(self) -> str | None:
        """The run that launched this one with the sidecar's tools; None if none did."""
        return self.task.parent_task_id if self.delegated else None

    @property
    def concerns_model(self) -> bool:
        """Whether to notify the model of the end: it launched the run, or the client chose so.

        A synchronous run returns its result to its caller. An unreadable record may concern the model.
        """
        return not self.sync and (self.origin == "model" or self.notify_model or self.unreadable)


class Delivery(NamedTuple):
    """One attempt to notify the model of a client of ended tasks; `at` is in ms since the epoch."""

    delivery_id: str
    task_ids: list[str]
    at: int
    state: DeliveryState
    client: str | None = None


def encode_record(record: RunRecord) -> bytes:
    """Return the record as JSON bytes, for the journal's `body` column."""
    return codec.encode(record)


def read_record(task_id: str, data: bytes, ordered_at: int) -> RunRecord:
    """Decode a record; replace an unreadable one by a failed task with the reason."""
    try:
        return _decode(data)
    except (ValueError, msgspec.ValidationError) as error:
        return _unreadable(task_id, data, ordered_at, str(error))


def status_in(data: bytes) -> AsyncStatus | None:
    """Return the status in an encoded record; None if it cannot be read."""
    with contextlib.suppress(ValueError, msgspec.ValidationError):
        return _FAST.decode(data).task.status
    with contextlib.suppress(ValueError, msgspec.ValidationError):
        return _decode(data).task.status
    return None


_FAST = msgspec.json.Decoder(RunRecord)
"""Reads all records except those that the standard library wrote; see `codec.encode`."""


def _decode(data: bytes) -> RunRecord:
    return msgspec.convert(codec.decode(data), RunRecord)


def _unreadable(task_id: str, data: bytes, ordered_at: int, reason: str) -> RunRecord:
    """Return a substitute for a damaged record or one with values of a newer version; the row stays."""
    known = _readable_texts(data)
    error = (
        f"The record of this run cannot be read: {reason}. It is kept unchanged; a newer version of the "
        "sidecar may have written it."
    )
    task = AsyncTask(
        id=task_id,
        subagent_name=known.get("subagentName", "unknown"),
        goal_prompt=known.get("goalPrompt", ""),
        status="failed",
        launched_at=ordered_at,
        completed_at=ordered_at,
        error=error,
        end_reason="error",
        progress=Progress(last_activity_at=ordered_at),
        runner=known.get("runner", "unknown"),
        workspace_dir=known.get("workspaceDir", ""),
    )
    request: dict[str, Any] = {"behaviourPrompts": [], "context": {}}
    return RunRecord(task=task, origin="client", request=request, unreadable=True)


def _readable_texts(data: bytes) -> dict[str, str]:
    try:
        task = codec.decode(data)["task"]
        return {key: value for key, value in task.items() if isinstance(value, str)}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
