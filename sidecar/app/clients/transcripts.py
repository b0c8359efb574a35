"""Stored tasks as resources for a model: which ones there are, and their messages as text."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.tasks import StoredMessage, TaskInfo
from sidecar.history import TaskHistory
from sidecar.history.listing.text import TITLE_CHARACTERS, cut
from sidecar.mcp.model import Transcript, TranscriptPage
from sidecar.model_text import HEAD, clean, fence
from sidecar.printable import plain

PAGE = 50
"""Transcripts in one page of the list."""
MESSAGES = 500
"""The most messages that one transcript shows, the newest."""
_CUT = "…"
"""Stands for the start of a text, also so that no line begins where a text was cut."""


@dataclass(frozen=True)
class Transcripts:
    """The stored tasks of some workspace folders. Blocking: call it in a thread.

    `max_chars` limits each transcript, in characters.
    """

    history: TaskHistory
    folders: Sequence[Path]
    max_chars: int

    def page(self, cursor: str | None) -> TranscriptPage:
        """Return the tasks of the workspace, the newest first. Raises InvalidParams for a bad cursor."""
        start = _position(cursor)
        tasks = sorted(filter(self._is_here, self.history.list()), key=_newest, reverse=True)
        items = [
            Transcript(
                task.id, _line(task.title), None if task.last_activity is None else int(task.last_activity)
            )
            for task in tasks[start : start + PAGE]
        ]
        end = start + PAGE
        return TranscriptPage(items, str(end) if end < len(tasks) else None)

    def read(self, task_id: str) -> str:
        """Return the newest messages of a task, fenced as data. Raises SidecarError if there is none."""
        info, _ = self.history.get(task_id)
        page = self.history.messages(info.id, limit=MESSAGES, from_="end", root=info.root)
        parts = [_message(each) for each in page.messages]
        kept = _newest_that_fit(parts, self.max_chars)
        left = page.total - len(kept)
        head = HEAD
        if left:
            head += f" The {left} oldest of {page.total} messages are left out (tools.maxChars)."
        title = f"Task {_line(info.id)}, {info.status}. Title: {_line(info.title)}"
        return fence("\n\n".join([title, *kept]), head)

    def _is_here(self, task: TaskInfo) -> bool:
        folders = {os.path.realpath(folder) for folder in self.folders}
        return task.workspace_dir is not None and os.path.realpath(task.workspace_dir) in folders


def _newest(task: TaskInfo) -> float:
    return task.last_activity or 0


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise InvalidParams("cursor: damaged; start again without a cursor")
    return int(cursor)


def _message(message: StoredMessage) -> str:
    name = None if message.tool is None else message.tool.name
    tool = "" if name is None else f" {_line(name)}"
    return clean(f"[{message.role}: {message.kind}{tool}]\n{message.text or ''}".rstrip())


def _line(text: str) -> str:
    """Return a title or a name as one bounded line of visible characters that cannot pass for a frame."""
    return cut(clean(" ".join(plain(text).split())), TITLE_CHARACTERS)


def _newest_that_fit(parts: Sequence[str], room: int) -> list[str]:
    """Return the last parts that fit, and the end of the one before them."""
    kept: list[str] = []
    for part in reversed(parts):
        if len(part) > room:
            return [*_end_of(part, room), *kept]
        kept.insert(0, part)
        room -= len(part) + 2
    return kept


def _end_of(part: str, room: int) -> list[str]:
    """Return the label and the end of a message that is too long; an empty list if neither fits."""
    label, _, text = part.partition("\n")
    room -= len(f"{label}\n{_CUT}")
    return [f"{label}\n{_CUT}{text[-room:]}"] if text and room > 0 else []
