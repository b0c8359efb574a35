"""The events of a run as lines on a terminal or in a pipe."""

from typing import Any

from sidecar.cli import output


class EventPrinter:
    """Print events: messages on stdout, each beginning on a line of its own, all else on stderr."""

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
        """End a line that was begun."""
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
                return _question(event)
            case "emit":
                return f"[emit] {event.get('name')} = {event.get('value')}"
            case "state":
                return f"[{event['status']}]"
        return None

    def _tool(self, event: dict[str, Any]) -> str | None:
        """Name a call when it starts and when it ends; what it tells between is for displays that redraw."""
        call_id, status = event.get("toolCallId"), event.get("status")
        if call_id is not None:
            if self._tools.get(call_id) == status:
                return None
            self._tools[call_id] = status
        name, title = event.get("name"), event.get("title")
        return f"[tool] {name} {status}" + (f": {title}" if title and title != name else "")


def _question(event: dict[str, Any]) -> str:
    if event["state"] == "asked":
        place = f" (in {event['cwd']})" if event.get("cwd") else ""
        return f"[permission] asked: {event['title']}{place}"
    answer = event.get("kind") or "called off"
    by = f" by {event['by']}" if event.get("by") else ""
    return f"[permission] {answer}{by}: {event['title']}"
