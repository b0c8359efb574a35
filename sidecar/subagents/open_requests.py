"""The open requests of all runs that a person answers: permission requests and questions, oldest first."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sidecar.api.errors import InvalidState
from sidecar.api.runs.async_tasks import Attention
from sidecar.subagents.journal.records import RunRecord

A = TypeVar("A")


class Asker(Protocol):
    """The run that asks."""

    @property
    def record(self) -> RunRecord:
        """The record of the run."""

    async def emit(self, event: dict[str, Any]) -> None:
        """Log an event of the run."""

    def redacted(self, attention: Attention) -> Attention:
        """Return what a client may see of a request."""

    def pause_timers(self) -> None:
        """Pause the time limits of the run while it waits for a person."""

    def resume_timers(self) -> None:
        """Resume the time limits."""


class Answerers(Protocol):
    """The connected clients that can answer."""

    @property
    def is_attended(self) -> bool:
        """Whether such a client is connected, or left so recently that it may come back."""

    async def unattended(self) -> None:
        """Wait until no client can answer and none is expected back."""


@dataclass
class OpenRequest(Generic[A]):
    """A request that waits for its answer."""

    asker: Asker
    attention: Attention
    answered: "asyncio.Future[A]"

    async def is_answered(self, answerers: Answerers) -> bool:
        """Wait for the answer; return False once nobody is left who could give it."""
        left = asyncio.ensure_future(answerers.unattended())
        either: set[asyncio.Future[Any]] = {self.answered, left}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
        return self.answered.done()


class OpenRequests:
    """Keep requests open until their first answers, and show the oldest one of each run on its task.

    `changed` is called with every record whose `attention` changed.
    """

    def __init__(self, changed: Callable[[RunRecord], None]) -> None:
        self._changed = changed
        self._open: dict[str, OpenRequest[Any]] = {}

    def open(self, asker: Asker, attention: Attention) -> OpenRequest[Any]:
        """Open a request and pause the time limits of its run. It is not shown yet."""
        request = OpenRequest[Any](
            asker, asker.redacted(attention), asyncio.get_running_loop().create_future()
        )
        self._open[attention.request_id] = request
        asker.pause_timers()
        return request

    def find(self, record: RunRecord, request_id: str) -> OpenRequest[Any]:
        """Return an open request of a run. Raises InvalidState if it was answered or withdrawn."""
        found = self._open.get(request_id)
        if found is None or found.asker.record.task.id != record.task.id or found.answered.done():
            task = record.task
            raise InvalidState(
                f"task {task.id} has no open question {request_id!r}: it was answered or withdrawn",
                taskId=task.id,
                status=task.status,
            )
        return found

    def close(self, request_id: str) -> None:
        """Close a request, if it is open, and resume the time limits of its run."""
        request = self._open.pop(request_id, None)
        if request is not None:
            request.asker.resume_timers()
            self.show(request.asker)

    def show(self, asker: Asker) -> None:
        """Show the oldest open request on the task."""
        task = asker.record.task
        if task.status != "running":
            return
        oldest = next((each for each in self._open.values() if each.asker is asker), None)
        task.attention = oldest.attention if oldest is not None else None
        self._changed(asker.record)
