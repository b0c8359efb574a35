"""Collect the file changes of one tool call from its events."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sidecar.api.stored.files import FileAction
from sidecar.changes.file_change import MAX_PATH, FileChange, relative
from sidecar.changes.line_count import count_lines

MAX_CALL_FILES: Final = 2_000
"""The most files to count for one call."""
_KINDS: Final[dict[str, FileAction]] = {"edit": "edited", "move": "edited", "delete": "deleted"}
"""Tool kinds of the Agent Client Protocol that change files."""
_DELETED: Final[frozenset[FileAction]] = frozenset({"deleted"})
_CUT: Final = re.compile(r"\n\[cut: [\d,]+ more characters\]\Z")
"""The end of a text that was cut because it was too large for an event."""
_CUT_CHARS: Final = 64


@dataclass(slots=True)
class ToolCall:
    """The latest state of a call; `done` once it has completed."""

    kind: str = ""
    paths: tuple[str, ...] = ()
    diffs: tuple[FileChange, ...] = ()
    done: bool = False
    at: int | None = None

    def learn(self, event: Mapping[str, Any], workspace: str) -> None:
        """Update the call from an event. Members that the event omits stay; only new diffs replace diffs."""
        kind, at = event.get("kind"), event.get("ts")
        self.kind = kind if isinstance(kind, str) else self.kind
        self.at = at if isinstance(at, int) else self.at
        self.paths = _known(_locations(event), workspace) or self.paths
        self.diffs = tuple(_diffs(event, workspace)) or self.diffs
        self.done = event.get("status") == "completed"

    def changes(self) -> tuple[FileChange, ...]:
        """Return the files that the call changed; none before it has completed.

        A deleted or moved file counts even without a diff, with unknown lines. So does an edit without diffs.
        """
        if not self.done:
            return ()
        action = _KINDS.get(self.kind)
        deleted = action == "deleted"
        diffs = [diff._replace(actions=_DELETED) if deleted else diff for diff in self.diffs]
        if action is not None and not (diffs and self.kind == "edit"):
            named = {diff.path for diff in diffs}
            diffs += [FileChange(path, frozenset({action})) for path in self.paths if path not in named]
        return tuple(diff._replace(at=self.at) for diff in diffs)


def _diffs(event: Mapping[str, Any], workspace: str) -> Iterator[FileChange]:
    content = event.get("content")
    parts = content if isinstance(content, list) else []
    diffs = [part for part in parts if isinstance(part, dict) and part.get("type") == "diff"]
    for part in diffs[:MAX_CALL_FILES]:
        for path in _known([part.get("path")], workspace):
            old, new = part.get("oldText"), part.get("newText")
            additions, deletions = _lines(old, new)
            action: FileAction = "edited" if isinstance(old, str) else "created"
            yield FileChange(path, frozenset({action}), additions, deletions)


def _lines(old: object, new: object) -> tuple[int, int] | tuple[None, None]:
    """Count lines. A missing text counts as empty; the lines of a binary or cut text are unknown."""
    texts = ["" if text is None else text for text in (old, new)]
    before, after = texts
    if not isinstance(before, str) or not isinstance(after, str):
        return None, None
    if any("\0" in text or _CUT.search(text[-_CUT_CHARS:]) for text in (before, after)):
        return None, None
    return count_lines(before, after)


def _locations(event: Mapping[str, Any]) -> list[object]:
    locations = event.get("locations")
    if not isinstance(locations, list):
        return []
    return [location.get("path") for location in locations if isinstance(location, dict)]


def _known(paths: list[object], workspace: str) -> tuple[str, ...]:
    valid = (path for path in paths[:MAX_CALL_FILES] if isinstance(path, str) and len(path) <= MAX_PATH)
    return tuple(dict.fromkeys(name for path in valid if (name := relative(path, workspace))))
