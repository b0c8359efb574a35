"""What a run has produced so far, folded from its events."""

from typing import Any

from sidecar.api.async_tasks import PartialResult
from sidecar.subagents.progress import OPEN_TOOLS_KEPT

LAST_MESSAGE_CHARS = 32 * 1024
"""How much of the newest message is kept: as much as a final message may have."""


class PartialFold:
    """Keep the newest message or result, every emitted variable, the files changed, the calls under way."""

    def __init__(self) -> None:
        self._emitted: dict[str, Any] = {}
        self._message_id: object = None
        self._message = ""
        self._cuts_short = False
        self._cut_short = ""
        self._changing: dict[str, list[str]] = {}
        self._touched: dict[str, None] = {}
        self._open: dict[str, str] = {}
        self._cut_tool: str | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
        if event["type"] == "emit":
            self._emitted[event["name"]] = event["value"]
        elif event["type"] == "tool":
            self._take_tool(event)
        elif event["type"] in ("message", "result") and event.get("role") != "user":
            message_id = event.get("messageId")
            goes_on = event["type"] == "message" and message_id == self._message_id
            if self._cuts_short and not goes_on:
                self._cuts_short, self._cut_short = False, self._message.strip("\n")
            self._message = ((self._message if goes_on else "") + event["text"])[-LAST_MESSAGE_CHARS:]
            self._message_id = message_id

    def cut_short(self) -> None:
        """Keep the newest message in front of the next one, and the call under way: neither is waited for."""
        self._cuts_short = True
        self._cut_tool = self._open_tool()

    def result(self) -> PartialResult:
        """Return what there is now."""
        parts = (self._cut_short, self._message.strip("\n"))
        message = "\n\n".join(part for part in parts if part)[-LAST_MESSAGE_CHARS:]
        return PartialResult(
            final_message=message or None,
            emitted_vars=dict(self._emitted),
            touched_files=[*self._touched],
            open_tool=self._cut_tool or self._open_tool(),
        )

    def _open_tool(self) -> str | None:
        return next(reversed(self._open.values()), None)

    def _take_tool(self, event: dict[str, Any]) -> None:
        """Note what is under way, and the paths of a call's diffs once it has completed."""
        name = str(event.get("name", ""))
        call_id, paths = str(event.get("toolCallId", name)), _changed_paths(event)
        if event.get("status") == "started":
            self._open[call_id] = str(event.get("title") or self._open.get(call_id) or name)
            if len(self._open) > OPEN_TOOLS_KEPT:
                del self._open[next(iter(self._open))]
        else:
            self._open.pop(call_id, None)
        if paths:
            self._changing[call_id] = paths
        if event.get("status") == "completed":
            self._touched.update(dict.fromkeys(self._changing.pop(call_id, [])))
        elif event.get("status") == "failed":
            self._changing.pop(call_id, None)


def _changed_paths(event: dict[str, Any]) -> list[str]:
    content = event.get("content")
    parts = content if isinstance(content, list) else []
    diffs = [part for part in parts if isinstance(part, dict) and part.get("type") == "diff"]
    return [part["path"] for part in diffs if isinstance(part.get("path"), str)]
