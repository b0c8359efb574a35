"""The words for what a run does and how it ended; the extension uses the same. Pure."""

import time
from collections.abc import Mapping, Sequence
from typing import Final

from sidecar.api.runs.async_tasks import (
    AsyncStatus,
    AsyncTask,
    EndReason,
    ErrorKind,
    Placement,
    Retrying,
    Waiting,
    WaitReason,
)
from sidecar.api.stored.tasks import Outcome, TaskStatus

STATUS_WORDS: Final[Mapping[AsyncStatus, str]] = {
    "queued": "Queued",
    "running": "Running",
    "completed": "Completed",
    "failed": "Failed",
    "cancelled": "Cancelled",
}
END_WORDS: Final[Mapping[EndReason, str]] = {
    "goal": "Completed",
    "error": "Failed",
    "timeout": "Timed out",
    "inactivity": "No response",
    "startupTimeout": "Did not start",
    "maxTurns": "Out of turns",
    "budget": "Over budget",
    "cancelledByUser": "Cancelled",
    "cancelledByModel": "Cancelled by the model",
    "hostExit": "Interrupted",
    "lost": "Lost",
}
ERROR_WORDS: Final[Mapping[ErrorKind | WaitReason, str]] = {
    "auth": "not signed in",
    "rateLimit": "rate limit reached",
    "clusterSlots": "no free slot on the cluster",
    "overloaded": "model overloaded",
    "network": "network error",
    "contextLength": "conversation too long for the model",
    "modelNotFound": "model not found",
    "other": "model error",
}
_RETRY_CHARS: Final = 80
_NEEDS_CHARS: Final = 60


def status_text(task: AsyncTask) -> str:
    """Describe the status of a run in a few words: `Queued (next)`, `Timed out`, `Failed: network error`."""
    if task.status in ("queued", "running"):
        return _live_text(task)
    if task.status == "failed" and task.error_kind is not None:
        return f"{STATUS_WORDS['failed']}: {ERROR_WORDS[task.error_kind]}"
    return STATUS_WORDS[task.status] if task.end_reason is None else END_WORDS[task.end_reason]


def place_text(task: AsyncTask) -> str | None:
    """Describe where a run works, or what it needs of a node, `on gpu-1`; None for this machine."""
    placement = task.placement
    if placement is None or placement.kind != "ray":
        return None
    if placement.node is not None:
        return f"on {_one_line(placement.node, _NEEDS_CHARS)}"
    needs = node_needs(placement)
    if placement.state == "waiting" and task.status == "running":
        return f"waiting for a node with {needs}" if needs else "waiting for a node"
    return f"needs a node with {needs}" if needs and task.status == "queued" else "on the cluster"


def node_needs(placement: Placement) -> str:
    """Describe what a run needs of its node: `region=here, 2 slots`; empty for one slot of any node."""
    labels = [f"{name}={value}" for name, value in (placement.labels or {}).items()]
    slots = [] if placement.slots is None else [f"{placement.slots} slots"]
    return _one_line(", ".join([*labels, *slots]), _NEEDS_CHARS)


def stored_status(status: TaskStatus, outcome: Outcome) -> str:
    """Describe the status of a stored task: `completed`, or `failed, cancelled` if its outcome says more."""
    return status if outcome in ("unknown", status) else f"{status}, {outcome}"


def _live_text(task: AsyncTask) -> str:
    if task.attention is not None:
        return "Needs you"
    if task.status == "queued":
        return _queue_text(task)
    retrying, servers = task.progress.retrying, task.progress.awaited_servers
    if retrying is not None:
        return _retry_text(retrying)
    return _starting_text(servers) if servers else STATUS_WORDS[task.status]


def _starting_text(servers: Sequence[str]) -> str:
    what = "the MCP server" if len(servers) == 1 else "one of the MCP servers"
    return f"Starting: may be waiting for {what} {_one_line(', '.join(servers), _RETRY_CHARS)}"


def _queue_text(task: AsyncTask) -> str:
    words, place = STATUS_WORDS["queued"], task.queue_position
    if place is not None:
        words += " (next)" if place == 1 else f" (#{place})"
    return words if task.waiting is None else f"{words}: {_waiting_text(task.waiting)}"


def _waiting_text(waiting: Waiting) -> str:
    why, until = ERROR_WORDS[waiting.reason], waiting.until
    return why if until is None else f"{why} until {time.strftime('%H:%M:%S', time.localtime(until / 1_000))}"


def _retry_text(retrying: Retrying) -> str:
    why = _one_line(retrying.text, _RETRY_CHARS)
    status = retrying.status
    code = "" if status is None or str(status) in why else f" ({status})"
    return f"Retrying ({retrying.attempt}){f': {why}' if why else ''}{code}"


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
