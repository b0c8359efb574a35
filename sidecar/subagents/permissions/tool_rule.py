"""Which tools a run may use, by the names people and definitions give them: pure."""

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
"""Tools that no list gives to a subagent: subagents do not start subagents."""

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
"""The protocol's kind for each name by which agents and their users call a tool."""


_KINDS = frozenset({*_NAMES, "switch_mode"})
"""The kinds of tools that say what is done; `other` and unknown ones do not."""
_HARMFUL = frozenset({"execute", "edit", "delete", "move", "fetch"})
MAX_NAMES = 200
"""Names in one list: each question is compared with all of them."""

_NAME = re.compile(r"[\w./:-]+")
_LIMITED = re.compile(r"([^()]+)\((.*)\)", re.DOTALL)


@dataclass(frozen=True)
class ToolRule:
    """The tools that all of some lists name."""

    lists: tuple[tuple[str, ...], ...]

    def allows(self, question: Question, workspace: Path) -> bool:
        """Tell whether an agent asks for one of the tools.

        A list names a tool, or a kind of tools in the protocol's words or in a usual name of one; `*` in a
        name stands for any letters. Parentheses after a name limit it to some calls.
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
        """Tell whether a tool of this name is one of them, whatever it is called with."""
        return all(any(_entry(one).argument is None for one in _giving(each, name)) for each in self.lists)

    @functools.cached_property
    def names(self) -> list[str]:
        """Return the tools as the last list has them, without those that another does not give.

        If another limits them, they are as in that one.
        """
        *others, last = self.lists
        found = list(last)
        for other in others:
            found = list(dict.fromkeys(each for name in found for each in _narrowed(name, other)))
        return found


def fault(name: str) -> str | None:
    """Return why the parentheses after a tool's name are not understood; None if there is nothing wrong."""
    entry = _entry(name)
    if entry.argument is None or entry.name in NEVER_DELEGATED:
        return None
    return tool_argument.fault(entry.kind, entry.argument)


def first_fault(names: Iterable[str]) -> str | None:
    """Return what is wrong with a list of tools: too many, or parentheses that are not understood."""
    listed = list(names)
    if len(listed) > MAX_NAMES:
        return f"names {len(listed):,} tools; name at most {MAX_NAMES}, or kinds of tools such as read, edit"
    return next((f"{name}: {why}" for name in listed if (why := fault(name.strip())) is not None), None)


def canonical(name: str) -> str:
    """Return a tool's name in snake case, without a call prefix or a class suffix."""
    bare = _CALLABLE_PREFIX.sub("", name)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower()
    return snake.removesuffix("_tool")


def delegated(names: Iterable[str]) -> list[str]:
    """Return names trimmed, without the empty, the repeated and those never given to a subagent."""
    trimmed = dict.fromkeys(name.strip() for name in names)
    return [name for name in trimmed if name and _entry(name).name not in NEVER_DELEGATED]


class _Entry(NamedTuple):
    """A tool in a list: its canonical name, and what limits it or None."""

    name: str
    argument: str | None

    @property
    def kind(self) -> str:
        """The kind of tools that the name means, or else the name itself."""
        return _KIND_OF.get(self.name, self.name)


@functools.lru_cache(4 * MAX_NAMES)
def _entry(listed: str) -> _Entry:
    limited = _LIMITED.fullmatch(listed)
    if limited is None:
        return _Entry(canonical(listed), None)
    argument = limited[2].strip()
    return _Entry(canonical(limited[1].strip()), None if argument in ("", "*") else argument)


def _names_of(question: Question) -> set[str]:
    """Return what the tool may be called.

    The title, which a model may have written, counts only if the agent sends nothing better, and only if
    it can be a name: other titles may be command lines.
    """
    if question.tool_name:
        return {canonical(question.tool_name)}
    if question.tool_kind in _KINDS or not _NAME.fullmatch(question.title):
        return set()
    return {canonical(question.title)}


def _allows(entries: Sequence[_Entry], question: Question, workspace: Path) -> bool:
    """Tell whether a call is one of those that entries for its tool allow."""
    arguments: dict[str, list[str]] = {}
    for entry in entries:
        if entry.argument is None:
            return True
        arguments.setdefault(entry.kind, []).append(entry.argument)
    return any(tool_argument.allows(some, kind, question, workspace) for kind, some in arguments.items())


def _covers(entry: _Entry, named: set[str], kind: str) -> bool:
    """Tell whether an entry gives a tool, by its kind or its names.

    A name that usually stands for another kind does not give a tool that can do harm.
    """
    own = _KIND_OF.get(entry.name)
    if own == kind or wildcard.fits(kind, entry.name):
        return True
    if kind in _HARMFUL and (own is not None or entry.name in _KINDS):
        return False
    return any(wildcard.fits(name, entry.name) for name in named)


def _giving(listed: Sequence[str], name: str) -> list[str]:
    """Return what in a list is, or may be, a tool of this name."""
    tool = _entry(name).name
    return [each for each in listed if _covers(_entry(each), {tool}, _KIND_OF.get(tool, tool))]


def _narrowed(name: str, listed: Sequence[str]) -> list[str]:
    """Return a tool as a list gives it: unchanged, with the list's limits, or not at all."""
    giving = _giving(listed, name)
    limits = all(_entry(each).argument is not None for each in giving)
    return giving if limits and _entry(name).argument is None else [name][: len(giving)]
