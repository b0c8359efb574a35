"""What an agent asks permission for, and the answer it gets: values without behavior of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Verdict = Literal["allow", "deny", "ask"]

_PREFERENCE: dict[Verdict, tuple[str, ...]] = {
    # "Once" first: a policy grants what was asked, not what may be asked later.
    "allow": ("allow_once", "allow_always"),
    "deny": ("reject_once", "reject_always"),
}


@dataclass(frozen=True)
class Option:
    """One answer the agent would take. `kind` is allow_once, allow_always, reject_once or reject_always."""

    option_id: str
    name: str
    kind: str


class FileChange(NamedTuple):
    """The text of one file before and after; `old` is None for a file that is new."""

    path: str
    old: str | None
    new: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """What an agent asks permission for. `tool_kind` and the kinds of the options are the protocol's words.

    `tool_name` is the tool's own name, which not every agent sends. `arguments` is what the tool is called
    with, as the agent sends it; `paths`, `changes`, `command` (a command line) and `url` are what else is
    known of the call. Without `is_line`, `command` shows arguments that are not a command line.
    """

    request_id: str
    title: str
    options: tuple[Option, ...]
    tool_kind: str = "other"
    tool_name: str | None = None
    tool_call_id: str | None = None
    arguments: Mapping[str, Any] | None = None
    paths: tuple[str, ...] = ()
    changes: tuple[FileChange, ...] = ()
    command: str | None = None
    is_line: bool = True
    url: str | None = None

    def option(self, option_id: str) -> Option | None:
        """Return the option with this id."""
        return next((each for each in self.options if each.option_id == option_id), None)

    def option_for(self, verdict: Verdict) -> Option | None:
        """Return the option of this meaning, the narrower first; agents differ in the order of options."""
        kinds = _PREFERENCE.get(verdict, ())
        return next((each for kind in kinds for each in self.options if each.kind == kind), None)

    def once(self, option: Option) -> Option:
        """Return the option that means the same only once, if the agent offers it."""
        return self.option_for("allow" if option.kind.startswith("allow") else "deny") or option


@dataclass(frozen=True)
class Answer:
    """The option taken, None to dismiss the question; `reason` is for the agent, if a rule decided."""

    option: Option | None
    reason: str | None = None

    @classmethod
    def denial(cls, question: Question, reason: str) -> "Answer":
        """Refuse; dismiss the question if the agent offers no such option."""
        return cls(question.option_for("deny"), f"Permission denied: {reason}.")
