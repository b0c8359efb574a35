"""Match tools with the names that people and definitions use for them; pure functions."""

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sidecar.subagents.paths import wildcard
from sidecar.subagents.permissions import tool_argument
from sidecar.subagents.permissions.question import Question

NEVER_DELEGATED = frozenset({"task", "agent", "list_subagents"})
"""Tools that no list can allow, because subagents do not start subagents."""

_CALLABLE_PREFIX = re.compile(r"^(?:(?:api|functions?)\.)+", re.IGNORECASE)
_NAMES = {
    "read": "read_file read_many_files view cat notebook_read",
    "search": "grep glob ls list list_files list_directory search_files search_file_content find",
    "edit": "write write_file edit_file multi_edit multiedit create_file replace str_replace patch "
    "apply_patch notebook_edit",
    "delete": "delete_file",
    "move": "move_file rename",
    "execute": "bash shell run exec terminal run_command run_shell_command execute_command",
    "fetch": "web_fetch webfetch web_search websearch google_web_search",
    "think": "todo_read todo_write update_plan",
}
_KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""The protocol's kind for each common name of a tool."""


_KINDS = frozenset({*_NAMES, "switch_mode"})
"""The kinds that describe what a tool does, which `other` and unknown kinds do not."""
_HARMFUL = frozenset({"execute", "edit", "delete", "move", "fetch"})
MAX_NAMES = 200
"""The most names in one list: each question is compared with all of them."""

_NAME = re.compile(r"[\w./:-]+")
_LIMITED = re.compile(r"([^()]+)\((.*)\)", re.DOTALL)


@dataclass(frozen=True)
class ToolRule:
    """The tools that are in every one of several lists."""

    lists: tuple[tuple[str, ...], ...]

    def allows(self, question: Question, workspace: Path) -> bool:
        """Return whether the rule allows a call.

        A list has names of tools, or kinds of tools by the protocol's word or a common name; `*` in a name
        matches any letters. Parentheses after a name limit it to certain calls.
        """
        named = _names_of(question)
        return all(
            _allows(
                [entry for entry in map(_entry, each) if _covers(entry, named, question.tool_kind)],
                question,
                workspace,
            )
            for each in self.lists
        )

    def gives(self, name: str) -> bool:
        """Return whether the rule allows a tool of this name with any arguments."""
        return all(any(_entry(one).argument is None for one in _giving(each, name)) for each in self.lists)

    @functools.cached_property
    def names(self) -> list[str]:
        """The names in the last list that all other lists allow too, with the limits of those lists."""
        *others, last = self.lists
        found = list(last)
        for other in others:
            found = list(dict.fromkeys(each for name in found for each in _narrowed(name, other)))
        return found


def problem(name: str) -> str | None:
    """Return the problem with the parentheses after a tool's name; None if they are valid."""
    entry = _entry(name)
    if entry.argument is None or entry.name in NEVER_DELEGATED:
        return None
    return tool_argument.problem(entry.kind, entry.argument)


def first_problem(names: Iterable[str]) -> str | None:
    """Return the first problem of a list of tools: too many names, or invalid parentheses."""
    listed = list(names)
    if len(listed) > MAX_NAMES:
        return f"names {len(listed):,} tools; name at most {MAX_NAMES}, or kinds of tools such as read, edit"
    return next((f"{name}: {why}" for name in listed if (why := problem(name.strip())) is not None), None)


def canonical(name: str) -> str:
    """Return a tool's name in snake case, without a call prefix or a class suffix."""
    bare = _CALLABLE_PREFIX.sub("", name)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower()
    return snake.removesuffix("_tool")


def delegated(names: Iterable[str]) -> list[str]:
    """Return the trimmed names without empty, repeated and never delegated ones."""
    trimmed = dict.fromkeys(name.strip() for name in names)
    return [name for name in trimmed if name and _entry(name).name not in NEVER_DELEGATED]


class _Entry(NamedTuple):
    """A tool in a list: its canonical name, and the limit in parentheses or None."""

    name: str
    argument: str | None

    @property
    def kind(self) -> str:
        """The kind of tools for this name, or the name itself."""
        return _KIND_OF.get(self.name, self.name)


@functools.lru_cache(4 * MAX_NAMES)
def _entry(listed: str) -> _Entry:
    limited = _LIMITED.fullmatch(listed)
    if limited is None:
        return _Entry(canonical(listed), None)
    argument = limited[2].strip()
    return _Entry(canonical(limited[1].strip()), None if argument in ("", "*") else argument)


def _names_of(question: Question) -> set[str]:
    """Return the possible names of the tool.

    The title counts only if the agent sends nothing better, because a model may have written it, and only if
    it has the form of a name, because it may be a command line.
    """
    if question.tool_name:
        return {canonical(question.tool_name)}
    if question.tool_kind in _KINDS or not _NAME.fullmatch(question.title):
        return set()
    return {canonical(question.title)}


def _allows(entries: Sequence[_Entry], question: Question, workspace: Path) -> bool:
    """Return whether the entries for a tool allow a call."""
    arguments: dict[str, list[str]] = {}
    for entry in entries:
        if entry.argument is None:
            return True
        arguments.setdefault(entry.kind, []).append(entry.argument)
    return any(tool_argument.allows(some, kind, question, workspace) for kind, some in arguments.items())


def _covers(entry: _Entry, named: set[str], kind: str) -> bool:
    """Return whether an entry matches a tool by its kind or its names.

    A common name of another kind does not match a tool that can do harm.
    """
    own = _KIND_OF.get(entry.name)
    if own == kind or wildcard.fits(kind, entry.name):
        return True
    if kind in _HARMFUL and (own is not None or entry.name in _KINDS):
        return False
    return any(wildcard.fits(name, entry.name) for name in named)


def _giving(listed: Sequence[str], name: str) -> list[str]:
    """Return the entries of a list that match, or may match, a tool of this name."""
    tool = _entry(name).name
    return [each for each in listed if _covers(_entry(each), {tool}, _KIND_OF.get(tool, tool))]


def _narrowed(name: str, listed: Sequence[str]) -> list[str]:
    """Return the names for a tool under a list: unchanged, with the list's limits, or none."""
    giving = _giving(listed, name)
    limits = all(_entry(each).argument is not None for each in giving)
    return giving if limits and _entry(name).argument is None else [name][: len(giving)]
