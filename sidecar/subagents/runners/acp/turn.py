"""A turn of an agent, the error of an agent that fails, and the limit of the last turn."""

import asyncio
from collections.abc import Mapping
from typing import Any

from sidecar.api.runs.async_tasks import ErrorKind
from sidecar.subagents.fold.turns import Turns
from sidecar.subagents.runners.output.model_errors import ModelError


class AgentError(Exception):
    """The agent refused a request or violated the protocol. The text names the remedy if one exists.

    `kind` is set if the model failed. `is_explained` is False if only stderr can explain the error.
    `may_pass` is True for an internal failure of the agent that a second start may avoid.
    `retry_after_seconds` is how long the model's server asks to wait. `needs_sign_in` means that the agent
    refuses to work until a person signs in.
    """

    def __init__(
        self,
        text: str,
        kind: ErrorKind | None = None,
        *,
        is_explained: bool = True,
        may_pass: bool = False,
        retry_after_seconds: float | None = None,
        needs_sign_in: bool = False,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.is_explained = is_explained
        self.may_pass = may_pass
        self.retry_after_seconds = retry_after_seconds
        self.needs_sign_in = needs_sign_in

    @classmethod
    def of_model(cls, error: ModelError) -> "AgentError":
        """Return the error for an agent whose model failed."""
        text = f"the agent's model failed: {error.text.strip()}"
        return cls(text, error.kind, retry_after_seconds=error.retry_after_seconds)


class Turn:
    """A prompt in progress. The protocol's reply or an update reports its end."""

    def __init__(self) -> None:
        self.reply: Mapping[str, Any] = {}
        """The unchanged reply to the prompt; empty until the turn ends."""
        self._stop_reason: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._stop_reason.add_done_callback(lambda done: done.cancelled() or done.exception())

    @property
    def has_ended(self) -> bool:
        """Whether the turn has ended or failed."""
        return self._stop_reason.done()

    async def ended(self) -> str:
        """Wait for the end and return the protocol's stop reason. Raises AgentError or ConnectionError."""
        return await asyncio.shield(self._stop_reason)

    def end(self, stop_reason: str, reply: Mapping[str, Any]) -> None:
        """Record the end of the turn; later calls have no effect."""
        if not self._stop_reason.done():
            self.reply = reply
            self._stop_reason.set_result(stop_reason)

    def fail(self, error: Exception) -> None:
        """Record that the turn failed; has no effect after its end."""
        if not self._stop_reason.done():
            self._stop_reason.set_exception(error)


MODEL_REQUESTS = 2
"""How many model requests the agent may make in its last turn."""


class LastTurn:
    """Count the model requests of a last turn from its events."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._is_over = False

    def take(self, event: dict[str, Any]) -> bool:
        """Process one event. Return True, once, when the turn has to end.

        A tool call in the second answer exceeds the limit because its result requires a third request.
        """
        self._turns.take(event)
        begins_tool = event["type"] == "tool" and event.get("status") == "started"
        answers = self._turns.count + (begins_tool and self._turns.count >= MODEL_REQUESTS)
        if self._is_over or answers <= MODEL_REQUESTS:
            return False
        self._is_over = True
        return True
