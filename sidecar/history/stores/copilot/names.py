"""The names and the folder that Copilot CLI and editors record for a session, next to its events."""

import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.history.stored.parsing import clean, decode_leniently
from sidecar.history.stored.reading import StoredFile, read_file
from sidecar.history.stores.sessions.saving import is_json, read_settled
from sidecar.history.stores.sessions.values import line, text

WORKSPACE_FILE: Final = "workspace.yaml"
EDITOR_FILE: Final = "vscode.metadata.json"
_MAX_BYTES: Final = 256 * 1024


class Names(NamedTuple):
    """The title of a session with the member that holds it, and its folder."""

    title: str | None = None
    source: str = ""
    workspace: str | None = None


def read_names(folder: str) -> Names:
    """Read the files of one session. A name that the user gave comes first."""
    workspace = parse_workspace(_read(folder, WORKSPACE_FILE, _ends_with_a_line))
    editor = parse_editor(_read(folder, EDITOR_FILE, is_json))
    named = ("name", workspace.get("name"), WORKSPACE_FILE)
    custom = ("customTitle", editor.get("customTitle"), EDITOR_FILE)
    first = (named, custom) if workspace.get("user_named") == "true" else (custom, named)
    candidates = (*first, ("summary", workspace.get("summary"), WORKSPACE_FILE))
    for member, value, file in candidates:
        if title := line(value):
            return Names(title, f"{member} in {file}", text(workspace.get("cwd")))
    return Names(workspace=text(workspace.get("cwd")))


def _read(folder: str, name: str, is_whole: Callable[[bytes], bool]) -> bytes:
    """Read a file that the product writes as a whole."""
    return read_settled(f"{folder}{os.sep}{name}", name, is_whole, _read_bounded).data or b""


def _read_bounded(path: str, name: str) -> StoredFile:
    return read_file(path, name, _MAX_BYTES)


def _ends_with_a_line(data: bytes) -> bool:
    return data.endswith(b"\n")


def parse_workspace(data: bytes) -> dict[str, Any]:
    """Parse `workspace.yaml`; values stay texts. Empty if it is not a mapping."""
    import yaml  # takes 15 ms, and few sessions need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        value = yaml.load(data.decode("utf-8", "replace").strip("\0"), loader)  # noqa: S506 (makes texts only)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def parse_editor(data: bytes) -> dict[str, Any]:
    """Parse the editor's file; empty if it is not an object."""
    value: Any = decode_leniently(msgspec.json.decode, clean(data, EDITOR_FILE)[0]) if data else None
    return value if isinstance(value, dict) else {}
