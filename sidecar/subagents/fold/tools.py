"""The tool calls of a run: how many, which are open, and the files that the completed ones changed."""

from dataclasses import dataclass, field
from typing import Any

OPEN_CALLS_KEPT = 100
"""Calls without an end; beyond this the oldest are assumed to have ended."""


@dataclass
class _Call:
    key: str
    name: str
    title: str
    paths: list[str] = field(default_factory=list)


class ToolCalls:
    """Follows calls by their ID, or by their name if a program gives none."""

    def __init__(self) -> None:
        self.started = 0
        self._open: list[_Call] = []
        self._touched: dict[str, None] = {}
        self._cut_short: str | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Add the start, an update or the end of a call."""
        name = str(event.get("name", ""))
        key = str(event.get("toolCallId", name))
        call, paths = self._newest(key), _changed_paths(event)
        if event.get("status") != "started":
            self._end(call, paths or (call.paths if call else []), event.get("status"))
        elif call is not None and "toolCallId" in event:
            call.title = str(event.get("title") or call.title)
            call.paths = paths or call.paths
        else:
            self.started += 1
            self._open.append(_Call(key, name, str(event.get("title") or name), paths))
            del self._open[:-OPEN_CALLS_KEPT]

    def end_all(self) -> None:
        """Close every call: none outlives its run."""
        self._open.clear()

    def cut_short(self) -> None:
        """Remember the call that a limit interrupts."""
        self._cut_short = self.open_title()

    def current_name(self) -> str | None:
        """Return the name of the newest open call."""
        return self._open[-1].name if self._open else None

    def open_title(self) -> str | None:
        """Return the title of the call that was cut short, else of the newest open one."""
        return self._cut_short or (self._open[-1].title if self._open else None)

    def touched_files(self) -> list[str]:
        """Return the files that completed calls changed, in the order of their first change."""
        return [*self._touched]

    def _newest(self, key: str) -> _Call | None:
        return next((call for call in reversed(self._open) if call.key == key), None)

    def _end(self, call: _Call | None, paths: list[str], status: object) -> None:
        if call is not None:
            self._open.remove(call)
        if status == "completed":
            self._touched.update(dict.fromkeys(paths))


def _changed_paths(event: dict[str, Any]) -> list[str]:
    content = event.get("content")
    parts = content if isinstance(content, list) else []
    diffs = [part for part in parts if isinstance(part, dict) and part.get("type") == "diff"]
    return [part["path"] for part in diffs if isinstance(part.get("path"), str)]
