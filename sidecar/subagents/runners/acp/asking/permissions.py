"""The questions one agent has open, and their one common end when its run is stopped."""

import asyncio
from typing import Any

from sidecar.subagents.permissions.question import Answer
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.contract import RunObserver


class Permissions:
    """Asks the observer, any number of questions at a time."""

    def __init__(self, events: SessionEvents, observer: RunObserver) -> None:
        self._events = events
        self._observer = observer
        self._called_off = asyncio.Event()
        self._closed: str | None = None
        self._asking: set[asyncio.Task[Answer]] = set()
        self.last_reason: str | None = None
        """Why a rule refused the newest refused question; None where a person did."""

    @property
    def has_refused(self) -> bool:
        """Whether the agent was refused leave and has not gone on since."""
        return self._events.refused is not None

    async def ask(self, params: dict[str, Any]) -> Answer:
        """Return the answer to one request; it is called off once the run is stopped."""
        if self._called_off.is_set():
            return Answer(None)
        question = self._events.question(params)
        if self._closed is not None:
            return Answer.denial(question, self._closed)
        asking = asyncio.create_task(self._observer.ask(question), name="question")
        self._asking.add(asking)
        try:
            await asyncio.wait({asking})
        finally:
            self._asking.discard(asking)
            asking.cancel()
        if asking.cancelled():
            return Answer(None)
        answer = asking.result()
        if answer.option is None or answer.option.kind.startswith("reject"):
            self._events.refuse(question)
            self.last_reason = answer.reason
        return answer

    def close(self, reason: str) -> None:
        """Take every open question back, and refuse every later one for `reason`."""
        self._closed = reason
        for asking in self._asking:
            asking.cancel()

    def call_off(self) -> None:
        """Take every open question back, and every later one."""
        self._called_off.set()
        for asking in self._asking:
            asking.cancel()
