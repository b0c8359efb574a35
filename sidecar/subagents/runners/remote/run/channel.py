"""Messages to an agent on a cluster."""

from collections.abc import Sequence
from typing import Any

from sidecar.subagents.runners.contract import enqueue_message
from sidecar.subagents.runners.remote.run.requests import RunRequests


class RemoteChannel:
    """Messages to an agent on a cluster; see `MessageChannel`."""

    def __init__(self, requests: RunRequests) -> None:
        self._requests = requests
        self._waiting: list[str] = []
        self.is_open = False

    @property
    def listens(self) -> bool:
        """Whether the session is open and the agent can get another turn."""
        return self.is_open

    def send(self, text: str) -> bool:
        """Queue a message; return False if the agent no longer accepts any. Raises Overloaded."""
        if not self.is_open:
            return False
        enqueue_message(self._waiting, text)
        self._requests.send(text)
        return True

    async def steer(self, text: str) -> bool:
        """Return False: a message reaches an agent on another machine after its turn."""
        return False

    async def last_turn(self, missing: Sequence[str]) -> None:
        """Let the agent take its last turn."""
        await self._requests.last_turn(missing)

    def take(self, event: dict[str, Any]) -> None:
        """Note that the agent received a message."""
        if event.get("role") == "user" and event["text"] in self._waiting:
            self._waiting.remove(event["text"])
