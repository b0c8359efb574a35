"""Track an agent's open permission requests, and withdraw them for the agent or when its run is stopped."""

import asyncio
from typing import Any

from sidecar.subagents.permissions.question import Answer
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.contract import RunObserver


class Permissions:
    """Pass an agent's permission requests to the observer, any number at a time."""

    def __init__(self, events: SessionEvents, observer: RunObserver) -> None:
        self._events = events
        self._observer = observer
        self._withdrawn = asyncio.Event()
        self._closed: str | None = None
        self._asking: set[asyncio.Task[Answer]] = set()
        self._by_id: dict[int | str, asyncio.Task[Answer]] = {}
        """The open requests by the agent's IDs."""
        self._early: set[int | str] = set()
        """The IDs of requests that the agent withdrew before they were open."""
        self.last_reason: str | None = None
        """The rule's reason for the last refusal; None if a person refused."""

    @property
    def has_refused(self) -> bool:
        """Whether a permission request was refused and the agent has done nothing since."""
        return self._events.refused is not None

    async def ask(self, params: dict[str, Any], request_id: int | str | None = None) -> Answer:
        """Return the answer to one request. The answer has no option if the request is withdrawn."""
        if self._withdrawn.is_set() or request_id in self._early:
            return Answer(None)
        question = self._events.question(params)
        if self._closed is not None:
            return Answer.denial(question, self._closed)
        asking = asyncio.create_task(self._observer.ask(question), name="permission request")
        self._asking.add(asking)
        if request_id is not None:
            self._by_id[request_id] = asking
        try:
            await asyncio.wait({asking})
        finally:
            self._asking.discard(asking)
            if request_id is not None:
                self._by_id.pop(request_id, None)
            asking.cancel()
        if asking.cancelled():
            return Answer(None)
        answer = asking.result()
        refused = answer.option is None or answer.option.kind.startswith("reject")
        if refused and not self._events.is_of_a_child(params.get("sessionId")):
            self._events.refuse(question)
            self.last_reason = answer.reason
        return answer

    def close(self, reason: str) -> None:
        """Withdraw all open requests, and deny later ones for `reason`."""
        self._closed = reason
        for asking in self._asking:
            asking.cancel()

    def withdraw(self, request_id: int | str) -> None:
        """Withdraw a request that the agent no longer makes."""
        asking = self._by_id.get(request_id)
        if asking is None:
            self._early.add(request_id)
        else:
            asking.cancel()

    def withdraw_all(self) -> None:
        """Withdraw all open and later requests."""
        self._withdrawn.set()
        for asking in self._asking:
            asking.cancel()
