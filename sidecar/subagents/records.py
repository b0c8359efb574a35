"""What the journal keeps of one run: the task as clients see it, and what only the host needs."""

from typing import Any, Literal, NamedTuple

import msgspec

from sidecar.api.async_tasks import AsyncTask
from sidecar.subagents import codec

Origin = Literal["client", "model"]
DeliveryState = Literal["open", "superseded", "failed", "delivered"]


class RunRecord(msgspec.Struct, kw_only=True, rename="camel", omit_defaults=True):
    """One run as it is journalled.

    `request` holds the launch parameters as they were given, never an environment. `sync` runs are
    listed but never announced. `restored` marks an end that a former process left; `wants_notice` a
    cancel that the model did not ask for and is to be told of; `cancel_reason` is what its client said;
    `session_id` the agent's session, if a later run can take it up.
    """

    task: AsyncTask
    origin: Origin
    sync: bool = False
    request: dict[str, Any]
    pid: int | None = None
    restored: bool = False
    wants_notice: bool = False
    cancel_reason: str | None = None
    session_id: str | None = None


class Delivery(NamedTuple):
    """One attempt to tell the model of ended tasks; `at` in ms since the epoch."""

    delivery_id: str
    task_ids: list[str]
    at: int
    state: DeliveryState


def encode_record(record: RunRecord) -> bytes:
    """Return the record as JSON bytes, for the journal's `body` column."""
    return codec.encode(record)


def decode_record(data: bytes) -> RunRecord:
    """Return the record of `encode_record`; raises msgspec.ValidationError for another shape."""
    return msgspec.convert(codec.decode(data), RunRecord)
