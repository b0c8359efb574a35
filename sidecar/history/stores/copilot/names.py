"""The names and the folder that Copilot CLI and editors record for a session, next to its events."""

import os
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import clean, decode_leniently, is_json
from sidecar.history.stored.reading import StoredFile, read_file
from sidecar.history.stores.sessions.saving import read_settled
from sidecar.history.stores.sessions.values import line, text

WORKSPACE_FILE: Final = "workspace.yaml"
EDITOR_FILE: Final = "vscode.metadata.json"
_MAX_BYTES: Final = 256 * 1024
_MAX_DEPTH: Final = 64
"""The deepest nesting of `workspace.yaml`, whose parser takes quadratic time."""


class Names(NamedTuple):
    """The title of a session with the member that holds it, its folder, and which file cannot be read."""

    title: str | None = None
    source: str = ""
    workspace: str | None = None
    problems: tuple[Problem, ...] = ()


def read_names(folder: str) -> Names:
    """Read the files of one session. A name that the user gave comes first."""
    files = _read(folder, WORKSPACE_FILE, _ends_with_a_line), _read(folder, EDITOR_FILE, is_json)
    problems = tuple(each for file in files for each in file.problems if each.code == "unreadable")
    workspace, editor = parse_workspace(files[0].data or b""), parse_editor(files[1].data or b"")
    named = ("name", workspace.get("name"), WORKSPACE_FILE)
    custom = ("customTitle", editor.get("customTitle"), EDITOR_FILE)
    first = (named, custom) if workspace.get("user_named") == "true" else (custom, named)
    candidates = (*first, ("summary", workspace.get("summary"), WORKSPACE_FILE))
    for member, value, file in candidates:
        if title := line(value):
            return Names(title, f"{member} in {file}", text(workspace.get("cwd")), problems)
    return Names(workspace=text(workspace.get("cwd")), problems=problems)


def _read(folder: str, name: str, is_whole: Callable[[bytes], bool]) -> StoredFile:
    """Read a file that the product writes as a whole."""
    return read_settled(f"{folder}{os.sep}{name}", name, is_whole, _read_bounded)


def _read_bounded(path: str, name: str) -> StoredFile:
    return read_file(path, name, _MAX_BYTES)


def _ends_with_a_line(data: bytes) -> bool:
    return data.endswith(b"\n")


def parse_workspace(data: bytes) -> dict[str, str]:
    """Parse the texts at the top of `workspace.yaml`; empty if it is not a mapping."""
    import yaml  # takes 15 ms, and few sessions need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return _top_texts(yaml.parse(data.decode("utf-8", "replace").strip("\0"), loader))
    except (yaml.YAMLError, ValueError):
        return {}


def _top_texts(events: Iterable[Any]) -> dict[str, str]:
    """Collect the keys and values of a mapping that are texts.

    Reads events, because the loader recurses for each level, which crashes the process at some depth.
    """
    import yaml

    items: list[str | None] = []
    depth = 0
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            if depth == 0 and not isinstance(event, yaml.MappingStartEvent):
                return {}
            if depth == 1:
                items.append(event.value if isinstance(event, yaml.ScalarEvent) else None)
            depth += isinstance(event, yaml.CollectionStartEvent)
            if depth > _MAX_DEPTH:
                return {}
    pairs = zip(items[::2], items[1::2], strict=True)
    return {key: value for key, value in pairs if key is not None and value is not None}


def parse_editor(data: bytes) -> dict[str, Any]:
    """Parse the editor's file; empty if it is not an object."""
    value: Any = decode_leniently(msgspec.json.decode, clean(data, EDITOR_FILE)[0]) if data else None
    return value if isinstance(value, dict) else {}
