"""Find the files that tool calls of agents read and changed, with the changed lines. Pure."""

import re
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
_COMMANDS: Final[dict[str, FileAction]] = {"view": "read", "create": "created"}
"""What a tool that edits does instead, by the command in its input."""
_SHELLS: Final = frozenset(
    (
        *("shell", "shell_command", "local_shell", "container.exec", "exec_command", "bash"),
        *("run_shell_command", "execute_command", "run_command"),
    )
)
_PATCH: Final = "*** Begin Patch"
_PATCHING: Final = re.compile(r"\bapply_?patch\b")
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


def action_of(name: object, given: object) -> FileAction | None:
    """Return what the call of a tool does to the file that it names; None for other tools."""
    action = ACTIONS.get(name.casefold()) if isinstance(name, str) else None
    command = given.get("command") if action == "edited" and isinstance(given, Mapping) else None
    return _COMMANDS.get(command, action) if isinstance(command, str) else action


def shell_patch(name: object, given: object) -> str | None:
    """Return the patch that a command line hands to `apply_patch`; None for other calls."""
    if not isinstance(name, str) or name.casefold() not in _SHELLS:
        return None
    line = "\n".join(texts_in(given))
    at = line.find(_PATCH)
    return line[at:] if at >= 0 and _PATCHING.search(line, 0, at) is not None else None


def texts_in(given: object) -> Iterator[str]:
    """Yield the texts of an input: itself, or those of its members, such as a command line."""
    values: list[Any] = list(given.values()) if isinstance(given, Mapping) else [given]
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (part for part in value if isinstance(part, str))


def called_files(name: object, given: object, at: int | None) -> Iterator[FileChange]:
    """Yield the files that one call of a tool names; `at` is its time in ms."""
    action = action_of(name, given)
    if (shell := shell_patch(name, given)) is not None:
        yield from patched_files(shell, at)
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
                known = action != "deleted"
                additions, deletions = (added, deleted) if known else (None, None)
                yield FileChange(path, frozenset({action}), additions, deletions, at)
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
