"""Print the events of a run as lines."""

from collections.abc import Sequence
from typing import Any

from sidecar.cli import output
from sidecar.printable import plain
from sidecar.status_words import END_WORDS, ERROR_WORDS, STATUS_WORDS

# Plain dicts, because an event of a newer sidecar may have any text as a key.
_STATUSES: dict[str, str] = dict(STATUS_WORDS.items())
_ENDS: dict[str, str] = dict(END_WORDS.items())
_ERRORS: dict[object, str] = dict(ERROR_WORDS.items())


class EventPrinter:
    """Print messages on stdout, each starting on a new line, and other events on stderr."""

    def __init__(self) -> None:
        self._message: object = None
        self._inside_line = False
        self._tools: dict[str, object] = {}

    def print(self, event: dict[str, Any]) -> None:
        """Print one event."""
        if event["type"] in ("message", "result"):
            if event.get("messageId") != self._message:
                self.end_line()
            self._message = event.get("messageId")
            output.write(event["text"])
            self._inside_line = not event["text"].endswith("\n")
        elif (line := self._aside(event)) is not None:
            if output.on_terminal():
                self.end_line()
            output.echo(line, err=True)

    def end_line(self) -> None:
        """End the current line."""
        if self._inside_line:
            output.write("\n")
        self._inside_line = False

    def _aside(self, event: dict[str, Any]) -> str | None:
        match event["type"]:
            case "log":
                return str(event["text"]).removesuffix("\n")
            case "tool":
                return self._tool(event)
            case "permission":
                return _permission(event)
            case "question":
                return _question(event)
            case "emit":
                return plain(f"[emit] {event.get('name')} = {event.get('value')}")
            case "state":
                return plain(f"[{_state(event)}]")
        return None

    def _tool(self, event: dict[str, Any]) -> str | None:
        """Return a line when a call starts and when it ends, but not for its updates in between."""
        call_id, status = event.get("toolCallId"), event.get("status")
        if call_id is not None:
            if self._tools.get(call_id) == status:
                return None
            self._tools[call_id] = status
        name, title = event.get("name"), event.get("title")
        return plain(f"[tool] {name} {status}" + (f": {title}" if title and title != name else ""))


class EventLog:
    """Print the events of one run, each once and in order; `seq` is the number of the last one."""

    def __init__(self) -> None:
        self.seq = 0
        self.has_ended = False
        self._printer = EventPrinter()

    def take(self, events: Sequence[dict[str, Any]]) -> None:
        """Print those of the events that are new."""
        for event in events:
            if event["seq"] > self.seq:
                self._printer.print(event)
                self.seq = event["seq"]
                self.has_ended = self.has_ended or _is_end(event)

    def close(self) -> None:
        """End the current line."""
        self._printer.end_line()


def _is_end(event: dict[str, Any]) -> bool:
    return event["type"] == "state" and event["status"] in ("completed", "failed", "cancelled")


def _state(event: dict[str, Any]) -> str:
    """Return the panel's words for a state; a newer sidecar's unknown status is its own word."""
    status, reason, kind = event["status"], event.get("endReason"), event.get("errorKind")
    if status == "failed" and kind in _ERRORS:
        return f"{_STATUSES[status]}: {_ERRORS[kind]}"
    return _ENDS.get(str(reason)) or _STATUSES.get(status) or str(status)


def _question(event: dict[str, Any]) -> str:
    if event["state"] == "asked":
        place = f" {event['url']}" if event.get("url") else ""
        return plain(f"[question] asked: {event['title']}{place}")
    answer = event.get("action") or "withdrawn"
    by = f" by {event['by']}" if event.get("by") else ""
    return plain(f"[question] {answer}{by}: {event['title']}")


def _permission(event: dict[str, Any]) -> str:
    if event["state"] == "asked":
        place = f" (in {event['cwd']})" if event.get("cwd") else ""
        return plain(f"[permission] asked: {event['title']}{place}")
    answer = event.get("kind") or "withdrawn"
    by = f" by {event['by']}" if event.get("by") else ""
    return plain(f"[permission] {answer}{by}: {event['title']}")
