"""Find the files that tool calls of agents read and changed, with the changed lines. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sidecar.api.stored.files import FileAction
from sidecar.changes.file_change import MAX_PATH, FileChange, merged, relative
from sidecar.changes.line_count import count_lines

MAX_FILES: Final = 20_000
"""The most files of one session."""
PATHS: Final = ("filePath", "file_path", "path", "absolute_path", "notebook_path", "filename", "file")
ACTIONS: Final[dict[str, FileAction]] = {
    **dict.fromkeys(("read", "read_file", "read_many_files", "view", "readfile", "cat"), "read"),
    **dict.fromkeys(
        (
            "edit",
            "multiedit",
            "multi_edit",
            "notebookedit",
            "replace",
            "replace_in_file",
            "str_replace",
            "str_replace_editor",
            "apply_patch",
            "apply_diff",
            "patch",
            "insert",
            "editor",
        ),
        "edited",
    ),
    **dict.fromkeys(("write", "write_file", "write_to_file", "create", "create_file"), "created"),
    **dict.fromkeys(("delete", "delete_file", "remove"), "deleted"),
}
"""What a tool does to the file in its input, by its name in lower case."""
OLD: Final = ("oldString", "old_string", "old_str", "oldText", "old_text")
NEW: Final = ("newString", "new_string", "new_str", "newText", "new_text")
WHOLE: Final = ("content", "file_text")
PATCHES: Final = ("patchText", "patch", "input", "diff")
HEADERS: Final[dict[str, FileAction]] = {
    "*** Update File: ": "edited",
    "*** Add File: ": "created",
    "*** Delete File: ": "deleted",
}
"""The lines of the patch format of `apply_patch` that name a file."""
_MOVE: Final = "*** Move to: "
_END: Final = "*** End Patch"


def called_files(name: object, given: object, at: int | None) -> Iterator[FileChange]:
    """Yield the files that one call of a tool names; `at` is its time in ms."""
    action = ACTIONS.get(name.casefold()) if isinstance(name, str) else None
    if action is None or not isinstance(given, Mapping):
        return
    path = text_in(given, PATHS)
    if path is not None and len(path) <= MAX_PATH:
        additions, deletions = _lines(given, action)
        yield FileChange(path, frozenset({action}), additions, deletions, at)
    elif action == "edited" and (patch := text_in(given, PATCHES)) is not None:
        yield from patched_files(patch, at)


def patched_files(patch: str, at: int | None) -> Iterator[FileChange]:
    """Yield the files of a patch in the format of `apply_patch`."""
    path, added, deleted = "", 0, 0
    action: FileAction | None = None
    for line in (*patch.splitlines(), _END):
        if line.startswith("*** ") and not line.startswith(_MOVE):
            if action is not None:
                yield FileChange(path, frozenset({action}), added, deleted, at)
            header = next((each for each in HEADERS if line.startswith(each)), None)
            action = HEADERS[header] if header is not None else None
            path, added, deleted = line[len(header or "") :].strip(), 0, 0
        elif action is not None:
            added += line.startswith("+")
            deleted += line.startswith("-")


def merged_files(found: Iterable[FileChange], workspace: str | None) -> list[FileChange]:
    """Merge the changes of each file; paths inside of the workspace become relative to it."""
    files: dict[str, FileChange] = {}
    for change in found:
        path = relative(change.path, workspace or "")
        known = files.get(path)
        if known is not None:
            files[path] = merged(known, change)
        elif path and len(files) < MAX_FILES:
            files[path] = change._replace(path=path)
    return [files[path] for path in sorted(files)]


def _lines(given: Mapping[str, Any], action: FileAction) -> tuple[int, int] | tuple[None, None]:
    old, new = text_in(given, OLD), text_in(given, NEW)
    if action == "created" and (whole := text_in(given, WHOLE)) is not None:
        return count_lines("", whole)
    if action == "edited" and old is not None and new is not None:
        return count_lines(old, new)
    edits = given.get("edits")
    if action == "edited" and isinstance(edits, list):
        parts = [_lines(edit, action) for edit in edits if isinstance(edit, Mapping)]
        return sum(part[0] or 0 for part in parts), sum(part[1] or 0 for part in parts)
    return None, None


def text_in(given: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the first of these members that is a text."""
    return next((given[name] for name in names if isinstance(given.get(name), str)), None)
