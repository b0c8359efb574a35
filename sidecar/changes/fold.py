"""Compute the files that a run changed from its events, in bounded memory. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sidecar.api.runs.async_tasks import Changes
from sidecar.changes.file_change import FileChange, merged
from sidecar.changes.tool_call import ToolCall

MAX_FILES: Final = 20_000
"""The most files to count for one run."""
MAX_CALLS: Final = 200
"""How many calls may still change; older calls are final."""


class ChangesFold:
    """Count the file changes of the completed tool calls of one run.

    Only the latest diffs of a call count, so a diff that is reported twice counts once. Reads and failed
    calls do not count. Paths inside `workspace` (absolute) are relative to it.
    """

    def __init__(self, workspace: str) -> None:
        self.revision = 0
        """Grows with every event that changes the result."""
        self._workspace = workspace
        self._calls: dict[str, ToolCall] = {}
        self._final: dict[str, FileChange] = {}
        """The files of final calls."""
        self._files: dict[str, FileChange] = {}

    def take(self, event: Mapping[str, Any]) -> bool:
        """Add one event of the run; return whether the result changed."""
        if event.get("type") != "tool":
            return False
        given = event.get("toolCallId")
        key = str(event.get("name", "")) if given is None else str(given)
        call = self._opened(key, event)
        before = call.changes()
        call.learn(event, self._workspace)
        after = call.changes()
        if not before:
            _add(self._files, after)
        elif before != after:
            self._files = self._counted()
        if given is None and event.get("status") != "started":
            self._settle(key)
        self.revision += before != after
        return before != after

    def files(self) -> tuple[FileChange, ...]:
        """Return the changed files in the order of their first change."""
        return tuple(self._files.values())

    def result(self) -> Changes | None:
        """Return the sums over all files whose lines are known; None if no file has changed."""
        if not self._files:
            return None
        return Changes(
            files=len(self._files),
            additions=sum(file.additions or 0 for file in self._files.values()),
            deletions=sum(file.deletions or 0 for file in self._files.values()),
            uncounted_files=sum(file.additions is None for file in self._files.values()) or None,
        )

    def _opened(self, key: str, event: Mapping[str, Any]) -> ToolCall:
        """Return the call with this ID; a start after its end opens another call."""
        if event.get("status") == "started" and key in self._calls and self._calls[key].done:
            self._settle(key)
        if key not in self._calls and len(self._calls) >= MAX_CALLS:
            self._settle(
                next((old for old, call in self._calls.items() if call.done), next(iter(self._calls)))
            )
        return self._calls.setdefault(key, ToolCall())

    def _settle(self, key: str) -> None:
        _add(self._final, self._calls.pop(key).changes())

    def _counted(self) -> dict[str, FileChange]:
        files = dict(self._final)
        for call in self._calls.values():
            _add(files, call.changes())
        return files


def _add(files: dict[str, FileChange], changes: Iterable[FileChange]) -> None:
    for change in changes:
        known = files.get(change.path)
        if known is not None:
            files[change.path] = merged(known, change)
        elif len(files) < MAX_FILES:
            files[change.path] = change
