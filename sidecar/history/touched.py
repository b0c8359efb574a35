"""The files a task touched, told by its own records: metadata, tool messages, tool calls. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from sidecar.api.insight import FileAction, TouchedFile
from sidecar.history.parsing import clean, value_of
from sidecar.history.view import sane_ms

_ASKED: Final[dict[str, FileAction]] = {
    "readFile": "read",
    "editedExistingFile": "edited",
    "appliedDiff": "edited",
    "insertContent": "edited",
    "searchAndReplace": "edited",
    "newFileCreated": "created",
    "fileDeleted": "deleted",
}
"""Tools as UI messages name them; those that list or search directories touch no file."""
_CALLED: Final[dict[str, FileAction]] = {
    "read_file": "read",
    "write_to_file": "edited",
    "apply_diff": "edited",
    "replace_in_file": "edited",
    "insert_content": "edited",
    "search_and_replace": "edited",
    "search_replace": "edited",
    "edit_file": "edited",
    "edit": "edited",
    "new_rule": "created",
    "delete_file": "deleted",
}
"""Tools as the model calls them."""
_RECORDED: Final[dict[str, FileAction]] = {
    "read_tool": "read",
    "file_mentioned": "mentioned",
    "roo_edited": "edited",
    "cline_edited": "edited",
    "user_edited": "edited",
}
_PATCHED: Final = re.compile(r"^\*\*\* (Update|Add|Delete) File: ([^\r\n]{1,4096})", re.MULTILINE)
_PATCH_ACTIONS: Final[dict[str, FileAction]] = {"Update": "edited", "Add": "created", "Delete": "deleted"}
_TAGGED: Final = re.compile(
    rf"<({'|'.join(_CALLED)})>\s{{0,9}}(?:<args>\s{{0,9}}<file>\s{{0,9}})?<path>([^<]{{1,4096}}+)</path>"
)
"""A tool call of the days when calls were tags in the model's text."""
MAX_FILES: Final = 20_000
"""Most files told of one task."""
_DATES: Final = ("roo_read_date", "roo_edit_date", "cline_read_date", "cline_edit_date", "user_edit_date")


class Touch(NamedTuple):
    """One record of a file."""

    path: str
    action: FileAction
    at: int | None


def touched_files(ui: Iterable[bytes], api: Iterable[bytes], metadata: bytes | None) -> list[TouchedFile]:
    """Gather the files of one task from the bytes of its messages and metadata; never raises."""
    found: dict[str, tuple[set[FileAction], int | None]] = {}
    for touch in _touches(ui, api, metadata):
        path = tidy(touch.path)
        actions, last = found.get(path, (set(), None))
        if not path or (len(found) >= MAX_FILES and path not in found):
            continue
        found[path] = (actions | {touch.action}, max((at for at in (last, touch.at) if at), default=None))
    return [
        TouchedFile(path=path, actions=sorted(actions), last_at=last)
        for path, (actions, last) in sorted(found.items())
    ]


def tidy(path: str) -> str:
    """Write a path with slashes, without a leading `./`."""
    return path.strip().replace("\\", "/").removeprefix("./")


def _touches(ui: Iterable[bytes], api: Iterable[bytes], metadata: bytes | None) -> Iterator[Touch]:
    yield from _from_metadata(metadata)
    yield from _each(ui, _asked)
    yield from _each(api, _called)


def _each(messages: Iterable[bytes], read: Callable[[dict[str, Any]], Iterator[Touch]]) -> Iterator[Touch]:
    """Read the messages that can tell anything: decoding the others would be most of the work."""
    for part in messages:
        if b"path" in part or b" File: " in part:
            message = value_of(part)
            if isinstance(message, dict):
                yield from read(message)


def _from_metadata(data: bytes | None) -> Iterator[Touch]:
    metadata = value_of(clean(data, "")[0]) if data else None
    records = metadata.get("files_in_context") if isinstance(metadata, dict) else None
    for record in records if isinstance(records, list) else ():
        if isinstance(record, dict) and isinstance(record.get("path"), str):
            source = record.get("record_source")
            action = _RECORDED.get(source) if isinstance(source, str) else None
            times = [at for name in _DATES if (at := sane_ms(record.get(name))) is not None]
            yield Touch(record["path"], action or "mentioned", max(times, default=None))


def _asked(message: dict[str, Any]) -> Iterator[Touch]:
    """What a UI message tells: the tool it shows, whether asked for or done."""
    text = message.get("text")
    if "tool" not in (message.get("say"), message.get("ask")) or not isinstance(text, str):
        return
    call, at = value_of(text), sane_ms(message.get("ts"))
    name = call.get("tool") if isinstance(call, dict) else None
    action = _ASKED.get(name) if isinstance(name, str) else None
    if action is None or not isinstance(call, dict):
        return
    for path in _paths(call, "batchFiles", "batchDiffs"):
        yield Touch(path, action, at)


def _called(message: dict[str, Any]) -> Iterator[Touch]:
    """What the model called: blocks of tool use, or tags in its text."""
    if message.get("role") != "assistant":
        return
    at, content = sane_ms(message.get("ts")), message.get("content")
    for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            yield from _used(block, at)
        elif isinstance(block.get("text"), str):
            for name, path in _TAGGED.findall(block["text"]):
                yield Touch(path, _CALLED[name], at)


def _used(block: dict[str, Any], at: int | None) -> Iterator[Touch]:
    name, given = block.get("name"), block.get("input")
    if not isinstance(name, str) or not isinstance(given, dict):
        return
    if name == "apply_patch" and isinstance(given.get("patch"), str):
        for verb, path in _PATCHED.findall(given["patch"]):
            yield Touch(path, _PATCH_ACTIONS[verb], at)
    elif name in _CALLED:
        for path in _paths(given, "files"):
            yield Touch(path, _CALLED[name], at)


def _paths(call: dict[str, Any], *lists: str) -> Iterator[str]:
    """The path of a call that works on one file, or those of one that works on several."""
    single = (call.get(name) for name in ("path", "file_path"))
    several = (item for name in lists if isinstance(call.get(name), list) for item in call[name])
    nested = (item.get("path") for item in several if isinstance(item, dict))
    return (path for path in (*single, *nested) if isinstance(path, str))
