"""What the journal keeps of one run: the task as clients see it, and what only the host needs."""

import contextlib
from typing import Any, Literal, NamedTuple

import msgspec

from sidecar.api.async_tasks import AsyncStatus, AsyncTask, Progress
from sidecar.subagents.journal import codec

Origin = Literal["client", "model"]
DeliveryState = Literal["open", "superseded", "failed", "delivered"]


class RunRecord(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """One run as the journal keeps it.

    `request` holds the launch parameters as they were given, never an environment. `sync` runs are
    listed but never announced. `notify_model` is the choice of a client that launched the run. `restored`
    marks an end that a former process left; `wants_notice` a cancel that the model did not ask for and
    should be notified of; `session_id` is the agent's session, if a later run can take it up. `unreadable`
    records stand in for a row that cannot be read.
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

    @property
    def concerns_model(self) -> bool:
        """Whether the model is to be notified of the end: it launched the run, or the client chose so.

        A synchronous run is answered to its caller. Of an unreadable record nobody knows, so it counts.
        """
        return not self.sync and (self.origin == "model" or self.notify_model or self.unreadable)


class Delivery(NamedTuple):
    """One attempt to tell the model of ended tasks; `at` in ms since the epoch."""

    delivery_id: str
    task_ids: list[str]
    at: int
    state: DeliveryState


def encode_record(record: RunRecord) -> bytes:
    """Return the record as JSON bytes, for the journal's `body` column."""
    return codec.encode(record)


def read_record(task_id: str, data: bytes, ordered_at: int) -> RunRecord:
    """Return the record of `encode_record`; one that cannot be read is listed as failed, with the reason."""
    try:
        return _decode(data)
    except (ValueError, msgspec.ValidationError) as error:
        return _unreadable(task_id, data, ordered_at, str(error))


def status_in(data: bytes) -> AsyncStatus | None:
    """Return the state that a record tells; None if it cannot be read."""
    with contextlib.suppress(ValueError, msgspec.ValidationError):
        return _FAST.decode(data).task.status
    with contextlib.suppress(ValueError, msgspec.ValidationError):
        return _decode(data).task.status
    return None


_FAST = msgspec.json.Decoder(RunRecord)
"""Reads all but what only the standard library wrote; see `codec.encode`."""


def _decode(data: bytes) -> RunRecord:
    return msgspec.convert(codec.decode(data), RunRecord)


def _unreadable(task_id: str, data: bytes, ordered_at: int, reason: str) -> RunRecord:
    """Stand in for a damaged record, or one with words of a newer version; the row itself is kept."""
    known = _readable_texts(data)
    error = (
        f"The record of this run cannot be read: {reason}. It is kept as it is; a newer version of the "
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
