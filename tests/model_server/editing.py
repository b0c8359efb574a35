"""How a model edits a file: it reads the file first, as some agents require, and edits it once too often."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tests.model_server.script import Reply, Tool

BREAK: Final = "|"
"""What stands for a line break in the scenario."""
_READ: Final = ("read_file", "read", "Read")
_EDIT: Final = ("replace", "edit", "Edit")
_SHELL: Final = "exec_command"
"""The tool of codex, which has no others for files."""
_PATH: Final = ("file_path", "filePath")
_OLD: Final = ("old_string", "oldString")
_NEW: Final = ("new_string", "newString")


def next_edit(tools: Sequence[Tool], answered: int, argument: str) -> Reply:
    """Return the next call for `PATH=OLD>NEW`, given how many calls have been answered."""
    path, _, change = argument.partition("=")
    old, new = (part.replace(BREAK, "\n") for part in change.split(">", 1))
    if answered > 2:
        return Reply(["All ", "done."])
    tool = _first(tools, _EDIT if answered else _READ)
    if tool is None:
        command = _patch(path, old, new) if answered else f"cat {path}"
        return Reply(tool=_SHELL, arguments={"cmd": command})
    values = {**dict.fromkeys(_PATH, path), **dict.fromkeys(_OLD, old), **dict.fromkeys(_NEW, new)}
    given: dict[str, Any] = {
        name: values.get(name, "as asked") for name in tool.properties if name in {*values, *tool.required}
    }
    return Reply(tool=tool.name, arguments=given)


def _first(tools: Sequence[Tool], names: Iterable[str]) -> Tool | None:
    by_name = {tool.name: tool for tool in tools}
    return next((by_name[name] for name in names if name in by_name), None)


def _patch(path: str, old: str, new: str) -> str:
    """Return the command with which codex changes a file."""
    lines = [f"-{line}" for line in old.split("\n")] + [f"+{line}" for line in new.split("\n")]
    patch = ["*** Begin Patch", f"*** Update File: {path}", "@@", *lines, "*** End Patch"]
    return "\n".join(["apply_patch <<'EOF'", *patch, "EOF"])
