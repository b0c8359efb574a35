"""The names of tools in an agent's calls."""

from collections.abc import Mapping
from typing import Any

from sidecar.subagents.permissions.shortening import TITLE_CHARS, cut_middle


def tool_name(call: Mapping[str, Any]) -> str | None:
    """Return the name of the tool, or None.

    It is a recent member of the protocol. qwen (0.24) has it in `_meta.toolName`, and versions of claude
    without the member in `_meta.claudeCode.toolName`.
    """
    meta = call.get("_meta")
    theirs = meta if isinstance(meta, Mapping) else {}
    claude = theirs.get("claudeCode")
    older = claude.get("toolName") if isinstance(claude, Mapping) else None
    names = (call.get("name"), theirs.get("toolName"), older)
    return next((name for name in names if isinstance(name, str) and name), None)


def call_name(call: Mapping[str, Any]) -> str:
    """Return the display name of the tool, cut to its limit."""
    names = (tool_name(call), call.get("title"), call.get("kind"))
    return next((cut_middle(name, TITLE_CHARS) for name in names if isinstance(name, str) and name), "tool")
