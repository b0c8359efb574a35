"""The files that the tool calls of the products name. Pure."""

import re
from collections.abc import Iterator
from typing import Any, Final

from sidecar.api.stored.files import FileAction
from sidecar.changes.file_change import FileChange
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.structural.view import sane_ms

SHOWN: Final[dict[str, FileAction]] = {
    "readFile": "read",
    "editedExistingFile": "edited",
    "newFileCreated": "created",
    **{name: action for product in PRODUCTS for name, action in product.tools.shown.items()},
}
"""Tools as UI messages name them; those that list or search directories touch no file."""
_CALLED: Final[dict[str, FileAction]] = {
    "read_file": "read",
    "write_to_file": "edited",
    **{name: action for product in PRODUCTS for name, action in product.tools.called.items()},
}
"""Tools as the model calls them."""
_PATCHED: Final = re.compile(r"^\*\*\* (Update|Add|Delete) File: ([^\r\n]{1,4096})", re.MULTILINE)
_PATCH_ACTIONS: Final[dict[str, FileAction]] = {"Update": "edited", "Add": "created", "Delete": "deleted"}
_TAGGED: Final = re.compile(
    rf"<({'|'.join(_CALLED)})>\s{{0,9}}(?:<args>\s{{0,9}}<file>\s{{0,9}})?<path>([^<]{{1,4096}}+)</path>"
)
"""A tool call of the days when calls were tags in the model's text."""
UNFINISHED: Final = ("started", "failed")
"""What our own runs note on a call that changed nothing."""


def files_shown(call: dict[str, Any], at: int | None) -> Iterator[FileChange]:
    """Yield the files of a call as a UI message shows it, whether asked for or done."""
    name = call.get("tool")
    action = SHOWN.get(name) if isinstance(name, str) else None
    if action is not None and call.get("status") not in UNFINISHED:
        for path in _paths(call, "batchFiles", "batchDiffs"):
            yield _touch(path, action, at)


def files_called(message: dict[str, Any], *, tags: bool) -> Iterator[FileChange]:
    """Yield the files that the model names in its calls: blocks of tool use, with `tags` also its text."""
    if message.get("role") != "assistant":
        return
    at, content = sane_ms(message.get("ts")), message.get("content")
    for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            yield from _used(block, at)
        elif tags and isinstance(block.get("text"), str):
            for name, path in _TAGGED.findall(block["text"]):
                yield _touch(path, _CALLED[name], at)


def _used(block: dict[str, Any], at: int | None) -> Iterator[FileChange]:
    name, given = block.get("name"), block.get("input")
    if not isinstance(name, str) or not isinstance(given, dict) or given.get("status") in UNFINISHED:
        return
    if name == "apply_patch" and isinstance(given.get("patch"), str):
        for verb, path in _PATCHED.findall(given["patch"]):
            yield _touch(path, _PATCH_ACTIONS[verb], at)
    elif name in _CALLED:
        for path in _paths(given, "files"):
            yield _touch(path, _CALLED[name], at)


def _paths(call: dict[str, Any], *lists: str) -> Iterator[str]:
    """The path of a call that works on one file, or those of one that works on several."""
    single = (call.get(name) for name in ("path", "file_path"))
    several = (item for name in lists if isinstance(call.get(name), list) for item in call[name])
    nested = (item.get("path") for item in several if isinstance(item, dict))
    return (path for path in (*single, *nested) if isinstance(path, str))


def _touch(path: str, action: FileAction, at: int | None) -> FileChange:
    return FileChange(path, frozenset({action}), at=at)
