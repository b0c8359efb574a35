"""What a conversation with an agent can come to: a turn's end, or why there was none."""

import asyncio
from collections.abc import Mapping
from typing import Any

from sidecar.api.async_tasks import ErrorKind
from sidecar.subagents.runners.output.model_errors import ModelError


class AgentFault(Exception):
    """The agent refused, or broke the protocol; the text names the remedy where there is one.

    `kind` is set when its model failed; `is_explained` is False where only stderr can tell the reason.
    `may_pass` is True for a failure of the agent's own, which another start may not meet.
    """

    def __init__(
        self,
        text: str,
        kind: ErrorKind | None = None,
        *,
        is_explained: bool = True,
        may_pass: bool = False,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.is_explained = is_explained
        self.may_pass = may_pass

    @classmethod
    def of_model(cls, error: ModelError) -> "AgentFault":
        """Return the fault of an agent whose model failed."""
        return cls(f"the agent's model failed: {error.text.strip()}", error.kind)


class Turn:
    """One prompt under way, from whatever message its end is learned."""

    def __init__(self) -> None:
        self.reply: Mapping[str, Any] = {}
        """The reply to the prompt as it came, known at the end."""
        self._stop_reason: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._stop_reason.add_done_callback(lambda done: done.cancelled() or done.exception())

    @property
    def has_ended(self) -> bool:
        """Whether the end is known."""
        return self._stop_reason.done()

    async def ended(self) -> str:
        """Wait for the end and return the protocol's stop reason; raises AgentFault or ConnectionError."""
        return await asyncio.shield(self._stop_reason)

    def end(self, stop_reason: str, reply: Mapping[str, Any]) -> None:
        """Note the end; only the first one counts."""
        if not self._stop_reason.done():
            self.reply = reply
            self._stop_reason.set_result(stop_reason)

    def fail(self, fault: Exception) -> None:
        """Note that there will be no end."""
        if not self._stop_reason.done():
            self._stop_reason.set_exception(fault)
