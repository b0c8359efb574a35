"""The names and the folder that Copilot CLI and editors record for a session, next to its events."""

import os
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.history.stored.parsing import clean, decode_leniently
from sidecar.history.stored.reading import read_file
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
    workspace = parse_workspace(
        read_file(f"{folder}{os.sep}{WORKSPACE_FILE}", WORKSPACE_FILE, _MAX_BYTES).data or b""
    )
    editor = parse_editor(read_file(f"{folder}{os.sep}{EDITOR_FILE}", EDITOR_FILE, _MAX_BYTES).data or b"")
    named = ("name", workspace.get("name"), WORKSPACE_FILE)
    custom = ("customTitle", editor.get("customTitle"), EDITOR_FILE)
    first = (named, custom) if workspace.get("user_named") == "true" else (custom, named)
    candidates = (*first, ("summary", workspace.get("summary"), WORKSPACE_FILE))
    for member, value, file in candidates:
        if title := line(value):
            return Names(title, f"{member} in {file}", text(workspace.get("cwd")))
    return Names(workspace=text(workspace.get("cwd")))


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
