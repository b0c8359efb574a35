"""Find the texts that the calls of agents replace in files. Pure."""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from sidecar.api.stored.tasks import FileEdit
from sidecar.changes.file_change import MAX_PATH
from sidecar.history.stored.texts import encodable
from sidecar.history.stores.sessions.files import (
    HEADERS,
    NEW,
    OLD,
    PATCHES,
    PATHS,
    WHOLE,
    action_of,
    shell_patch,
    text_in,
)

MAX_TEXT: Final = 256 * 1024
"""The longest text of a change, in characters."""
MAX_EDITS: Final = 100
"""The most changes of one call."""


def edits_of(name: object, given: object) -> list[FileEdit] | None:
    """Return the changes that one call of a tool contains; None without any."""
    if (shell := shell_patch(name, given)) is not None:
        return bounded(patch_edits(shell))
    action = action_of(name, given)
    if action not in ("edited", "created"):
        return None
    if isinstance(given, str):
        return bounded(patch_edits(given))
    if not isinstance(given, Mapping):
        return None
    path = text_in(given, PATHS)
    if path is not None:
        return bounded(_replaced(path, given, is_new=action == "created"))
    patch = text_in(given, PATCHES)
    return None if patch is None else bounded(patch_edits(patch))


def patch_edits(patch: str) -> Iterator[FileEdit]:
    """Yield the change of each file of a patch in the format of `apply_patch`."""
    lines = patch.splitlines()
    for at, line in enumerate(lines):
        header = next((each for each in HEADERS if line.startswith(each)), None)
        if header is not None and HEADERS[header] == "deleted":
            yield FileEdit(path=line[len(header) :].strip(), new_text="", deleted=True)
        elif header is not None:
            body = takewhile(_is_in_file, lines[at + 1 :])
            yield from_lines(line[len(header) :].strip(), body, is_new=HEADERS[header] == "created")


def _is_in_file(line: str) -> bool:
    return not line.startswith("*** ") or line.startswith("*** Move")


def _replaced(path: str, given: Mapping[str, Any], *, is_new: bool) -> Iterator[FileEdit]:
    old, new = text_in(given, OLD), text_in(given, NEW)
    if is_new and (whole := text_in(given, WHOLE)) is not None:
        yield FileEdit(path=path, new_text=whole)
    elif new is not None and (old is not None or "insert_line" in given):
        yield FileEdit(path=path, old_text=old or "", new_text=new)
    elif isinstance(edits := given.get("edits"), list):
        for edit in edits:
            if isinstance(edit, Mapping):
                yield from _replaced(path, {**edit, "edits": None}, is_new=is_new)


def from_lines(path: str, lines: Iterator[str], *, is_new: bool) -> FileEdit:
    """Read lines that begin with a blank, a plus or a minus; a mark separates the parts of a file."""
    old: list[str] = []
    new: list[str] = []
    for line in lines:
        mark, text = line[:1], line[1:]
        if mark == "-":
            old.append(text)
        elif mark == "+":
            new.append(text)
        elif line.startswith("@@"):
            between = [line] if old or new else []
            old += between
            new += between
        elif mark in ("", " "):
            old.append(text)
            new.append(text)
    return FileEdit(path=path, old_text=None if is_new else _joined(old), new_text=_joined(new))


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def bounded(edits: Iterator[FileEdit]) -> list[FileEdit] | None:
    """Return at most `MAX_EDITS` changes that can be sent; None without any."""
    found = [
        FileEdit(
            path=encodable(path),
            old_text=None if old is None else encodable(old),
            new_text=encodable(new),
            deleted=edit.deleted,
        )
        for _, edit in zip(range(MAX_EDITS), edits, strict=False)
        for path, old, new in [(edit.path, edit.old_text, edit.new_text)]
        if 0 < len(path) <= MAX_PATH and max(len(old or ""), len(new)) <= MAX_TEXT
        if edit.deleted or old != new
    ]
    return found or None
