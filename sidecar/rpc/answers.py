"""The answer of a request whose handler wants to know when the peer can have read it."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from sidecar.rpc.messages import MessageId

request_id: ContextVar[MessageId] = ContextVar("request_id")
"""The ID of the request that the current task answers."""


@dataclass(frozen=True)
class Answer:
    """A result, and what to call when it is sent or dropped.

    `on_flushed` gets the offset behind everything that the peer had sent just before it could read the whole
    result: measured later, the offset would hold the reply of a fast peer. It is called in any thread and
    must not block.
    """

    result: Any
    on_flushed: Callable[[int], None] | None = None
    on_dropped: Callable[[], None] | None = None
