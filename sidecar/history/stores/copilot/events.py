"""What a list shows of a session of Copilot CLI, from its events. Pure."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.records import LineDecoder
from sidecar.history.stores.copilot.bill import Bill
from sidecar.history.stores.sessions.session import End
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.usage import tokens
from sidecar.history.stores.sessions.values import text


class Event(msgspec.Struct, rename="camel", gc=False):
    """One line of `events.jsonl`."""

    type: Any = None
    data: msgspec.Raw = msgspec.Raw()
    id: Any = None
    timestamp: Any = None
    agent_id: Any = None
    """The subagent that it is about; its events are among those of the session."""


EVENTS: Final = LineDecoder(Event)


def ends_copy(event: Event) -> bool:
    """Return whether this is what a fork says of itself after the events that it copied."""
    data = value_of(event.data) if event.type == "session.info" else None
    if not isinstance(data, dict) or data.get("infoType") != "fork":
        return False
    return str(data.get("message")).startswith("Forked from ")


class EventFold:
    """The state after all events so far. `bill` has the usage, also that of subagents."""

    def __init__(self) -> None:
        self.started: int | None = None
        self.workspace: str | None = None
        self.model: str | None = None
        self.prompt: str | None = None
        self.end: End = "open"
        self._id: str | None = None
        self._is_forked = False
        self.bill = Bill()
        self._begin()

    def _begin(self) -> None:
        """Begin with the session's own events."""
        self.first: int | None = None
        self.last: int | None = self.started
        self.prompts = 0
        self._answers: set[str] = set()

    @property
    def message_count(self) -> int:
        """Return the number of typed prompts and answers."""
        return self.prompts + len(self._answers)

    def take(self, events: Iterable[Event]) -> None:
        """Continue with the events that follow."""
        for event in events:
            is_foreign = self._is_of_another_session(event)
            if is_foreign or ends_copy(event):
                self._begin()
                self.bill = Bill(self.bill, of_requests=is_foreign)
                self._is_forked = True
            if is_foreign or (self._is_forked and self._is_older(event)):
                continue
            if (at := iso_ms(event.timestamp)) is not None:
                self.first = at if self.first is None else min(self.first, at)
                self.last = at if self.last is None else max(self.last, at)
            handle = _HANDLERS.get(event.type) if isinstance(event.type, str) else None
            if handle is not None:
                data = value_of(event.data)
                handle(self, event, data if isinstance(data, dict) else {})

    def _is_of_another_session(self, event: Event) -> bool:
        """Return whether a request was made in another session, so that what came before was copied too."""
        if event.type != "session.usage_record" or event.agent_id is not None or self._id is None:
            return False
        data = value_of(event.data)
        used = data.get("usage") if isinstance(data, dict) else None
        accounting = used.get("accounting") if isinstance(used, dict) else None
        source = accounting.get("sourceSessionId") if isinstance(accounting, dict) else None
        return isinstance(source, str) and source != self._id

    def _is_older(self, event: Event) -> bool:
        """Return whether an event is from the time before the session began."""
        at = iso_ms(event.timestamp)
        return at is not None and self.started is not None and at < self.started

    def usage(self) -> TokenUsage | None:
        """Return the tokens of all runs; see `Bill.total`."""
        return self.bill.total()

    def _start(self, event: Event, data: dict[str, Any]) -> None:
        self.bill.start()
        context = data.get("context")
        if isinstance(context, dict) and self.workspace is None:
            self.workspace = text(context.get("cwd"))
        if event.type == "session.start" and self.started is None:
            self.started = iso_ms(data.get("startTime"))
            self._id = text(data.get("sessionId"))

    def _asked(self, event: Event, data: dict[str, Any]) -> None:
        if (typed := _prompt(event)) is not None:
            self.prompts += 1
            self.prompt = self.prompt or typed
            self.end = "open"

    def _answered(self, event: Event, data: dict[str, Any]) -> None:
        name = next((each for each in (data.get("messageId"), event.id) if isinstance(each, str)), "")
        self.bill.answer(name, tokens(data.get("outputTokens")))
        if event.agent_id is None:
            self._answers.add(name)
            self.model = text(data.get("model")) or self.model
            self.end = "open" if data.get("toolRequests") else "answered"

    def _used(self, event: Event, data: dict[str, Any]) -> None:
        used = data.get("usage")
        if isinstance(used, dict):
            self.bill.record(event.id if isinstance(event.id, str) else None, used)

    def _compacted(self, event: Event, data: dict[str, Any]) -> None:
        used = data.get("compactionTokensUsed")
        if isinstance(used, dict):
            self.bill.compact(used)

    def _worked(self, event: Event, data: dict[str, Any]) -> None:
        self.end = "open"

    def _aborted(self, event: Event, data: dict[str, Any]) -> None:
        self.end = "cancelled"

    def _failed(self, event: Event, data: dict[str, Any]) -> None:
        self.end = "failed"

    def _shut_down(self, event: Event, data: dict[str, Any]) -> None:
        if isinstance(metrics := data.get("modelMetrics"), dict):
            self.bill.shut_down(metrics)
        self.end = "failed" if data.get("shutdownType") == "error" else "answered"


def _prompt(event: Event) -> str | None:
    """Return what a person typed; None for all else, such as the task of a subagent."""
    data = value_of(event.data) if event.type == "user.message" else None
    is_typed = isinstance(data, dict) and data.get("source") in (None, "user")
    return text(data.get("content")) if isinstance(data, dict) and is_typed else None


_Handler = Callable[[EventFold, Event, dict[str, Any]], None]
_HANDLERS: Final[dict[str, _Handler]] = {
    "session.start": EventFold._start,
    "session.resume": EventFold._start,
    "session.shutdown": EventFold._shut_down,
    "session.usage_record": EventFold._used,
    "session.compaction_complete": EventFold._compacted,
    "session.error": EventFold._failed,
    "user.message": EventFold._asked,
    "assistant.message": EventFold._answered,
    "assistant.turn_start": EventFold._worked,
    "tool.execution_start": EventFold._worked,
    "tool.execution_complete": EventFold._worked,
    "abort": EventFold._aborted,
}
