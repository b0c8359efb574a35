"""What a list shows of a session of Copilot CLI, from its events. Pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.append_only.records import LineDecoder
from sidecar.history.stores.sessions.session import End
from sidecar.history.stores.sessions.times import iso_ms
from sidecar.history.stores.sessions.usage import CountedOnce, Usage, tokens
from sidecar.history.stores.sessions.values import text


class Event(msgspec.Struct, rename="camel", gc=False):
    """One line of `events.jsonl`."""

    type: Any = None
    data: msgspec.Raw = msgspec.Raw()
    id: Any = None
    timestamp: Any = None


EVENTS: Final = LineDecoder(Event)


class EventFold:
    """The state after all events so far.

    Usage is recorded when a process ends, for its run. So a session that was killed, or is running, has only
    the output tokens of its answers.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self.started: int | None = None
        self.workspace: str | None = None
        self.model: str | None = None
        self.prompt: str | None = None
        self.prompts = 0
        self.end: End = "open"
        self._outputs: dict[str, int | None] = {}
        self._runs: dict[object, Mapping[str, Any]] = {}
        self._is_shut_down = False
        self._was_killed = False
        """Whether a run with answers ended without recording its usage."""

    @property
    def message_count(self) -> int:
        """Return the number of typed prompts and answers."""
        return self.prompts + len(self._outputs)

    def take(self, events: Iterable[Event]) -> None:
        """Continue with the events that follow."""
        for event in events:
            if (at := iso_ms(event.timestamp)) is not None:
                self.first = at if self.first is None else min(self.first, at)
                self.last = at if self.last is None else max(self.last, at)
            handle = _HANDLERS.get(event.type) if isinstance(event.type, str) else None
            if handle is not None:
                data = value_of(event.data)
                handle(self, event, data if isinstance(data, dict) else {})

    def usage(self) -> TokenUsage | None:
        """Return the tokens of all runs; only the output while the usage of a run is not recorded."""
        if self._runs and self._is_shut_down and not self._was_killed:
            counted = CountedOnce()
            for run, metrics in self._runs.items():
                for model, recorded in metrics.items():
                    counted.add((str(run), model), _usage_of(recorded), model)
            if (total := counted.total()) is not None:
                return total
        known = [output for output in self._outputs.values() if output is not None]
        return TokenUsage(output=sum(known)) if known else None

    def _start(self, event: Event, data: dict[str, Any]) -> None:
        self._was_killed = self._was_killed or bool(self._outputs and not self._is_shut_down)
        context = data.get("context")
        if isinstance(context, dict) and self.workspace is None:
            self.workspace = text(context.get("cwd"))
        if event.type == "session.start" and self.started is None:
            self.started = iso_ms(data.get("startTime"))

    def _asked(self, event: Event, data: dict[str, Any]) -> None:
        if (typed := text(data.get("content"))) is not None and data.get("source") in (None, "user"):
            self.prompts += 1
            self.prompt = self.prompt or typed
            self.end = "open"

    def _answered(self, event: Event, data: dict[str, Any]) -> None:
        name = next((each for each in (data.get("messageId"), event.id) if isinstance(each, str)), "")
        output, known = tokens(data.get("outputTokens")), self._outputs.get(name)
        self._outputs[name] = output if known is None else max(known, output or 0)
        self.model = text(data.get("model")) or self.model
        self.end = "open" if data.get("toolRequests") else "answered"
        self._is_shut_down = False

    def _worked(self, event: Event, data: dict[str, Any]) -> None:
        self.end = "open"

    def _aborted(self, event: Event, data: dict[str, Any]) -> None:
        self.end = "cancelled"

    def _failed(self, event: Event, data: dict[str, Any]) -> None:
        self.end = "failed"

    def _shut_down(self, event: Event, data: dict[str, Any]) -> None:
        metrics, started = data.get("modelMetrics"), data.get("sessionStartTime")
        key = started if isinstance(started, int | str) else len(self._runs)
        if isinstance(metrics, dict):
            self._runs[key] = metrics
            self._is_shut_down = True
        self.end = "failed" if data.get("shutdownType") == "error" else "answered"


_Handler = Callable[[EventFold, Event, dict[str, Any]], None]
_HANDLERS: Final[dict[str, _Handler]] = {
    "session.start": EventFold._start,
    "session.resume": EventFold._start,
    "session.shutdown": EventFold._shut_down,
    "session.error": EventFold._failed,
    "user.message": EventFold._asked,
    "assistant.message": EventFold._answered,
    "assistant.turn_start": EventFold._worked,
    "tool.execution_start": EventFold._worked,
    "tool.execution_complete": EventFold._worked,
    "abort": EventFold._aborted,
}


def _usage_of(recorded: object) -> Usage:
    """Read the usage of one model in a run; its input includes what was read from and written to a cache."""
    if not isinstance(recorded, dict) or not isinstance(used := recorded.get("usage"), dict):
        return Usage()
    requests = recorded.get("requests")
    reads, writes = tokens(used.get("cacheReadTokens")), tokens(used.get("cacheWriteTokens"))
    given = tokens(used.get("inputTokens"))
    return Usage(
        input=max(given - (reads or 0) - (writes or 0), 0) if given is not None else None,
        output=tokens(used.get("outputTokens")),
        cache_reads=reads,
        cache_writes=writes,
        answers=(tokens(requests.get("count")) if isinstance(requests, dict) else None) or 1,
    )
