"""Find the texts that a call of an editor's agent replaces in a file, as its message shows the call. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sidecar.api.stored.tasks import FileEdit
from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.sessions.changes.edits import bounded, from_lines
from sidecar.history.stores.task_folders.messages.named_files import SHOWN, UNFINISHED

_SEARCH: Final = re.compile(r"^<{7} SEARCH>?\n(?::start_line:[^\n]*\n)?(?:-{7}\n)?", re.MULTILINE)
_MIDDLE: Final = re.compile(r"^={7}\n", re.MULTILINE)
_REPLACE: Final = re.compile(r"^>{7} REPLACE", re.MULTILINE)
"""The marks of a change in the format of Roo Code and Cline."""
_EDITING: Final = ("edited", "created")
_TELLING: Final = ('"diff"', *(f'"{name}"' for name, action in SHOWN.items() if action in _EDITING))
"""Without one of these, a message shows no change; decoding it would be most of the work."""


def edits_shown(message: Mapping[str, Any]) -> list[FileEdit] | None:
    """Return the changes that a UI message shows, whether asked for or done; None without any."""
    text = message.get("text")
    if "tool" not in (message.get("say"), message.get("ask")) or not isinstance(text, str):
        return None
    call = value_of(text) if any(mark in text for mark in _TELLING) else None
    if not isinstance(call, dict) or call.get("status") in UNFINISHED:
        return None
    if isinstance(call.get("content"), list):
        return bounded(_reported(call["content"]))
    name, path = call.get("tool"), call.get("path")
    action = SHOWN.get(name) if isinstance(name, str) else None
    diff = next((call[each] for each in ("diff", "content") if isinstance(call.get(each), str)), None)
    if action not in _EDITING or not isinstance(path, str) or diff is None:
        return None
    return bounded(diff_edits(path, diff, is_new=action == "created"))


def diff_edits(path: str, diff: str, *, is_new: bool) -> Iterator[FileEdit]:
    """Yield the changes of a file in a unified diff or in blocks of search and replacement."""
    if blocks := [*_blocks(diff)]:
        yield from (FileEdit(path=path, old_text=old, new_text=new) for old, new in blocks)
    elif re.search(r"^@@", diff, re.MULTILINE):
        hunks = diff[diff.index("@@") :].splitlines()
        yield from_lines(path, iter(hunks), is_new=is_new)
    elif is_new:
        yield FileEdit(path=path, new_text=diff)


def _blocks(diff: str) -> Iterator[tuple[str, str]]:
    """Yield the text before and after each change. Each part is searched once, so the time is linear."""
    for part in _SEARCH.split(diff)[1:]:
        old, *rest = _MIDDLE.split(part, maxsplit=1)
        if rest and (end := _REPLACE.search(rest[0])) is not None:
            yield old, rest[0][: end.start()]


def _reported(content: list[Any]) -> Iterator[FileEdit]:
    """Yield the changes that a run of the sidecar noted."""
    for part in content:
        if isinstance(part, Mapping) and part.get("type") == "diff":
            path, old, new = part.get("path"), part.get("oldText"), part.get("newText")
            if isinstance(path, str) and isinstance(new, str):
                yield FileEdit(path=path, old_text=old if isinstance(old, str) else None, new_text=new)
