"""The root of all exceptions, and the table of their JSON-RPC codes."""

from collections.abc import Mapping
from typing import Any


class SidecarError(Exception):
    """An error of a request: `code` is the JSON-RPC code, `data` its structured part."""

    code = -32603

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data: Mapping[str, Any] = data


class InvalidParams(SidecarError):
    """The request's parameters are invalid; the message names the member and the remedy."""

    code = -32602


class InvalidRequest(SidecarError):
    """The request came at the wrong time, such as after `shutdown`."""

    code = -32600


class NotInitialized(SidecarError):
    """A request came before `initialize`."""

    code = -32002


class Overloaded(SidecarError):
    """Too much is queued; trying again later may work."""

    code = -32001


class TaskNotFound(SidecarError):
    """No task has this ID or prefix. `data`: taskId."""

    code = -32010


class AmbiguousTaskId(SidecarError):
    """The IDs of several tasks start with this prefix. `data`: taskId, candidates [{id, label}]."""

    code = -32011


class LimitReached(SidecarError):
    """The concurrency limit is reached. `data`: running, max."""

    code = -32012


class SubagentNotFound(SidecarError):
    """No definition has this name. `data`: subagentName, available."""

    code = -32013


class LaunchFailed(SidecarError):
    """The subagent could not be started. `data`: subagentName, reason."""

    code = -32014


class NotTrusted(SidecarError):
    """The workspace is not trusted."""

    code = -32015


class StorageError(SidecarError):
    """A file or a lock prevents this. `data`: path?, reason."""

    code = -32016


class InvalidState(SidecarError):
    """The task is not in a state that allows this. `data`: taskId, status."""

    code = -32017


class ReadOnlyStore(SidecarError):
    """The task is in a foreign root. `data`: taskId, root."""

    code = -32018
