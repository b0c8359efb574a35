"""What the protocol needs of a client's tools, transcripts and reminders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sidecar.api.model import NextReminder, ToolCallResult, ToolDeclaration
from sidecar.rpc.messages import MessageId


@dataclass(frozen=True)
class Transcript:
    """A stored task that can be read: its ID, its title on one line, and its newest message (ms)."""

    task_id: str
    title: str
    last_activity: int | None = None


@dataclass(frozen=True)
class TranscriptPage:
    """Some transcripts, and where to continue."""

    items: Sequence[Transcript]
    next_cursor: str | None = None


class Piggyback(Protocol):
    """Adds reminders to results, and notices when the client has received them."""

    async def attach(self, request_id: MessageId) -> NextReminder | None:
        """Return what the result of a request carries, if anything."""

    def result_dropped(self, request_id: MessageId) -> None:
        """Note that the result of a request is not sent."""

    def flushed(self, request_id: MessageId, position: int) -> None:
        """Note that a result is written, when the client had sent `position` bytes. Any thread."""

    def heard(self, start: int, cancels: MessageId | None = None) -> None:
        """Note a message of the client that begins at an offset, and the request that it cancels."""

    async def settled(self) -> None:
        """Wait until acknowledgements are durable."""


class Model(Protocol):
    """The tools and transcripts of one client."""

    def declarations(self) -> Sequence[ToolDeclaration]:
        """Return the tools."""

    async def call(
        self, name: str, arguments: Mapping[str, Any], update_output: Callable[[str], object] | None
    ) -> ToolCallResult:
        """Call a tool. Raises InvalidParams for an unknown one."""

    async def transcripts(self, cursor: str | None) -> TranscriptPage:
        """Return a page of transcripts, newest first. Raises InvalidParams for a bad cursor."""

    async def transcript(self, task_id: str) -> str:
        """Return a transcript, fenced as data. Raises SidecarError if there is none."""
