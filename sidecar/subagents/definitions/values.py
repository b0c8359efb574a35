"""Checks of single values: each returns what a definition holds, or raises ValueError in words for people."""

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

from sidecar.api.permissions import Policy
from sidecar.subagents.permissions import tool_rule

Check = Callable[[Any], Any]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LISTED = re.compile(r"(?:[^,(]|\([^)]*+\)?)++")
"""What stands between commas outside parentheses: Claude Code writes `Agent(worker, researcher), Read`."""

_TOOL_SETS = {
    "execute": "execute",
    "read": "read",
    "edit": "edit",
    "search": "search",
    "web": "fetch",
    "todo": "think",
}
"""Copilot's sets of tools, and the kinds of tools that agents have for them."""


class NotHonoured(Exception):
    """The value is sound and asks for what is not done here; `instead` is taken, if it is not None."""

    def __init__(self, reason: str, instead: Any = None) -> None:
        super().__init__(reason)
        self.instead = instead


def is_name(value: object) -> bool:
    """Say whether a subagent can be called so."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def name(value: Any) -> str:
    """Take a name that can be typed."""
    if not is_name(value):
        raise ValueError(
            "expected 1 to 64 letters, digits, '-', '_' or '.', beginning with a letter or digit"
            + ("" if isinstance(value, str) else "; put it in quotes")
        )
    return str(value)


def text(value: Any) -> str:
    """Take text that is not blank and can be sent."""
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {_kind(value)}; put it in quotes")
    if not value.strip():
        raise ValueError("must not be blank")
    if not _encodable(value):
        raise ValueError("holds half of a character; write it in full")
    return value.strip()


def texts(value: Any) -> tuple[str, ...]:
    """Take a list, or one line with commas."""
    parts = _LISTED.findall(value) if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise ValueError(f"expected a list of names, got {_kind(value)}")
    return tuple(text(part) for part in parts if part != "")


def tools(value: Any) -> tuple[str, ...]:
    """Take a list of tools, without those whose parentheses are not understood."""
    names = texts(value)
    if len(names) > tool_rule.MAX_NAMES:
        raise ValueError(f"names {len(names):,} tools; name at most {tool_rule.MAX_NAMES}, or kinds of tools")
    found = {name: tool_rule.fault(name) for name in names}
    faults = [f"{name} is left out: {fault}" for name, fault in found.items() if fault is not None]
    known = tuple(name for name, fault in found.items() if fault is None)
    if faults:
        raise NotHonoured("; ".join(faults), known)
    return known


def any_tools(value: Any) -> tuple[str, ...] | None:
    """Take a list of tools as other formats have it: `*` stands for all of them."""
    return None if "*" in texts(value) else tools(value)


def tool_sets(value: Any) -> tuple[str, ...] | None:
    """Take a list of tools as Copilot has it: `edit/editFiles` is one of the set that others call `edit`."""
    names = texts(value)
    if "*" in names:
        return None
    return tools([_TOOL_SETS.get(name.partition("/")[0], name) for name in names])


def turns(value: Any) -> int:
    """Take a number of turns."""
    if isinstance(value, bool) or not isinstance(value, int) or (value < 1 and value != -1):
        raise ValueError("expected a whole number of at least 1, or -1 for no limit")
    return value


def seconds(value: Any) -> float:
    """Take a time limit in seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (0 < value < 1e9 or value == -1):
        raise ValueError("expected a number of seconds above 0, or -1 for no limit")
    return value


def minutes(value: Any) -> float:
    """Take a time limit in minutes, and return it in seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e7:
        raise ValueError("expected a number of minutes above 0")
    return value * 60


def isolation(value: Any) -> str:
    """Take a kind of isolation."""
    if value not in ("none", "worktree"):
        raise ValueError("expected none or worktree")
    return str(value)


def permissions(value: Any) -> str:
    """Take a policy."""
    if value not in get_args(Policy):
        raise ValueError(f"expected one of {', '.join(get_args(Policy))}")
    return str(value)


def model(value: Any) -> str | None:
    """Take another tool's model: the first of a list, and none for `inherit`."""
    first = value[0] if isinstance(value, list) and value else value
    named = text(first)
    return None if named == "inherit" else named


def read_only(value: Any) -> str | None:
    """Take the wish that nothing is changed: then whatever an agent asks leave for is refused."""
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return "deny" if value else None


def local(value: Any) -> None:
    """Take the kind of an agent, which must run here."""
    if value == "remote":
        raise ValueError("a remote agent is reached over the network, which no runner here does")
    if value != "local":
        raise ValueError("expected local or remote")


def mode(policies: Mapping[str, str | None]) -> Check:
    """Return a check that translates another tool's permission mode; None leaves it to the settings."""

    def check(value: Any) -> str | None:
        word = text(value)
        if word not in policies:
            raise NotHonoured(f"{word} is not taken over; the setting permissions.default decides instead")
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
