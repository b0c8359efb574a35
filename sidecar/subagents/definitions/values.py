"""Checks of single values: each returns the value to store or raises ValueError for the user to read."""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec

from sidecar.api.mcp_servers import OWN_SERVER, McpServerEntry
from sidecar.api.runs.permissions import Policy
from sidecar.patterns import compiled
from sidecar.subagents.equipment.server_list import ServerList
from sidecar.subagents.permissions import tool_rule

Check = Callable[[Any], Any]

_NAME = compiled(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LISTED = compiled(r"(?:[^,(]|\([^)]*+\)?)++")
"""Text between commas outside parentheses: Claude Code writes `Agent(worker, researcher), Read`."""

_TOOL_SETS = {
    "execute": "execute",
    "read": "read",
    "edit": "edit",
    "search": "search",
    "web": "fetch",
    "todo": "think",
}
"""Copilot's tool sets and the matching kinds of tools."""


class Unsupported(Exception):
    """The value is valid but not supported; `instead` is used if it is not None."""

    def __init__(self, reason: str, instead: Any = None) -> None:
        super().__init__(reason)
        self.instead = instead


def is_name(value: object) -> bool:
    """Return whether a value is a valid subagent name."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def name(value: Any) -> str:
    """Check a name that can be typed."""
    if not is_name(value):
        raise ValueError(
            "expected 1 to 64 letters, digits, '-', '_' or '.', beginning with a letter or digit"
            + ("" if isinstance(value, str) else "; put it in quotes")
        )
    return str(value)


def text(value: Any) -> str:
    """Check text that is not blank and can be encoded."""
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {_kind(value)}; put it in quotes")
    if not value.strip():
        raise ValueError("must not be blank")
    if not _encodable(value):
        raise ValueError("contains an unpaired surrogate; write the whole character")
    return value.strip()


def texts(value: Any) -> tuple[str, ...]:
    """Check a list, or a comma-separated line."""
    parts = _LISTED.findall(value) if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise ValueError(f"expected a list of names, got {_kind(value)}")
    return tuple(text(part) for part in parts if part != "")


def tools(value: Any) -> tuple[str, ...]:
    """Check a list of tools, and leave out those whose parentheses cannot be parsed."""
    names = texts(value)
    if len(names) > tool_rule.MAX_NAMES:
        raise ValueError(f"lists {len(names):,} tools; list at most {tool_rule.MAX_NAMES}, or kinds of tools")
    found = {name: tool_rule.problem(name) for name in names}
    problems = [f"{name} is ignored: {problem}" for name, problem in found.items() if problem is not None]
    known = tuple(name for name, problem in found.items() if problem is None)
    if problems:
        raise Unsupported("; ".join(problems), known)
    return known


def any_tools(value: Any) -> tuple[str, ...] | None:
    """Check a list of tools in another tool's format: `*` means all of them."""
    return None if "*" in texts(value) else tools(value)


def tool_sets(value: Any) -> tuple[str, ...] | None:
    """Check a list of Copilot's tools: `edit/editFiles` belongs to the set called `edit` elsewhere."""
    names = texts(value)
    if "*" in names:
        return None
    return tools([_TOOL_SETS.get(name.partition("/")[0], name) for name in names])


def turns(value: Any) -> int:
    """Check a number of turns."""
    if isinstance(value, bool) or not isinstance(value, int) or (value < 1 and value != -1):
        raise ValueError("expected a whole number of at least 1, or -1 for no limit")
    return value


def seconds(value: Any) -> float:
    """Check a time limit in seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (0 < value < 1e9 or value == -1):
        raise ValueError("expected a number of seconds above 0, or -1 for no limit")
    return value


def minutes(value: Any) -> float:
    """Check a time limit in minutes, and return it in seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e7:
        raise ValueError("expected a number of minutes above 0")
    return value * 60


def isolation(value: Any) -> str:
    """Check a kind of isolation."""
    if value not in ("none", "worktree"):
        raise ValueError("expected none or worktree")
    return str(value)


def placement(value: Any) -> str:
    """Check where runs work."""
    if value not in ("local", "ray"):
        raise ValueError("expected local or ray")
    return str(value)


def permissions(value: Any) -> str:
    """Check a permission policy."""
    if value not in get_args(Policy):
        raise ValueError(f"expected one of {', '.join(get_args(Policy))}")
    return str(value)


def servers(value: Any) -> ServerList:
    """Check the MCP servers that the agent gets: a list of names, or a table that describes them."""
    if not isinstance(value, Mapping):
        return ServerList(tuple(dict.fromkeys(texts(value))))
    entries = {str(key): _server(str(key), entry) for key, entry in value.items() if key != OWN_SERVER}
    if value.get(OWN_SERVER):
        raise ValueError(f"{OWN_SERVER} is the sidecar itself; leave its value empty, or use another name")
    return ServerList(tuple(map(str, value)), entries, is_exact=False)


def _server(name: str, value: Any) -> McpServerEntry:
    try:
        entry = msgspec.convert(value, McpServerEntry)
    except msgspec.ValidationError as error:
        raise ValueError(f"{name}: {str(error).replace(' - at `$', ' at `')}") from None
    if entry.problem is not None:
        raise ValueError(f"{name}: {entry.problem}")
    return entry


def model(value: Any) -> str | None:
    """Check another tool's model: the first of a list, and None for `inherit`."""
    first = value[0] if isinstance(value, list) and value else value
    named = text(first)
    return None if named == "inherit" else named


def read_only(value: Any) -> str | None:
    """Check a read-only flag: if set, every permission request is denied."""
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return "deny" if value else None


def local(value: Any) -> None:
    """Check the kind of an agent, which must be local."""
    if value == "remote":
        raise ValueError("remote agents are not supported")
    if value != "local":
        raise ValueError("expected local or remote")


def mode(policies: Mapping[str, str | None]) -> Check:
    """Return a check that translates another tool's permission mode; None defers to the settings."""

    def check(value: Any) -> str | None:
        word = text(value)
        if word not in policies:
            raise Unsupported(f"{word} is not supported; the setting permissions.default applies instead")
        return policies[word]

    return check


def _encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(value: Any) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "a table",
        type(None): "nothing",
    }
    return names.get(type(value), type(value).__name__)
