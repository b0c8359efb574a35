"""What a conversation with an agent can come to: a turn's end, or why there was none."""

import asyncio
from collections.abc import Mapping


class AgentFault(Exception):
    """The agent refused, or broke the protocol; the text names the remedy where there is one."""


class Turn:
    """One prompt under way, from whatever message its end is learned."""

    def __init__(self) -> None:
        self.usage: Mapping[str, int] = {}
        """The tokens it took, known at the end."""
        self._stop_reason: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._stop_reason.add_done_callback(lambda done: done.cancelled() or done.exception())

    @property
    def has_ended(self) -> bool:
        """Whether the end is known."""
        return self._stop_reason.done()

    async def ended(self) -> str:
        """Wait for the end and return the protocol's stop reason; raises AgentFault or ConnectionError."""
        return await asyncio.shield(self._stop_reason)

    def end(self, stop_reason: str, usage: Mapping[str, int]) -> None:
        """Note the end; only the first one counts."""
        if not self._stop_reason.done():
            self.usage = usage
            self._stop_reason.set_result(stop_reason)

    def fail(self, fault: Exception) -> None:
        """Note that there will be no end."""
        if not self._stop_reason.done():
            self._stop_reason.set_exception(fault)
