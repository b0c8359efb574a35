"""Which tools a run may use, by the names people and definitions give them: pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sidecar.subagents.permission_policy import Question

NEVER_DELEGATED = frozenset({"task", "list_subagents"})
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
"""What agents and their users call a tool, to the kind that the protocol has for it."""


@dataclass(frozen=True)
class ToolRule:
    """The tools that every one of some lists names, which is their intersection."""

    lists: tuple[tuple[str, ...], ...]

    def allows(self, question: Question) -> bool:
        """Tell whether what an agent asks leave for is done with one of the tools.

        A list names a tool, or a kind of tools in the protocol's words or in a usual name of one; `*` in a
        name stands for any letters.
        """
        named = {canonical(name) for name in (question.tool_name, question.title) if name}
        return all(any(_covers(name, named, question.tool_kind) for name in each) for each in self.lists)

    def gives(self, name: str) -> bool:
        """Tell whether a tool of this name is one of them."""
        return all(_gives(each, name) for each in self.lists)

    @property
    def names(self) -> list[str]:
        """Return the tools as the last list has them, without those that another does not give."""
        *others, last = self.lists
        return [name for name in last if all(_gives(each, name) for each in others)]


def canonical(name: str) -> str:
    """Return a tool's name in snake case, without a call prefix or a class suffix."""
    bare = _CALLABLE_PREFIX.sub("", name)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower()
    return snake.removesuffix("_tool")


def delegated(names: Iterable[str]) -> list[str]:
    """Return names trimmed, without the empty, the repeated and those never given to a subagent."""
    trimmed = dict.fromkeys(name.strip() for name in names)
    return [name for name in trimmed if name and canonical(name) not in NEVER_DELEGATED]


def _covers(name: str, named: set[str], kind: str) -> bool:
    entry = canonical(name)
    return _KIND_OF.get(entry) == kind or any(fnmatchcase(word, entry) for word in (kind, *named))


def _gives(listed: Sequence[str], name: str) -> bool:
    entry = canonical(name)
    return any(_covers(each, {entry}, _KIND_OF.get(entry, entry)) for each in listed)
