"""Permission requests of agents and their answers, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Verdict = Literal["allow", "deny", "ask"]

_PREFERENCE: dict[Verdict, tuple[str, ...]] = {
    # "Once" first: a policy decides this request, not later ones.
    "allow": ("allow_once", "allow_always"),
    "deny": ("reject_once", "reject_always"),
}


@dataclass(frozen=True)
class Option:
    """One answer that the agent accepts. `kind`: allow_once, allow_always, reject_once or reject_always."""

    option_id: str
    name: str
    kind: str


class FileChange(NamedTuple):
    """The text of one file before and after a change; `old` is None for a new file."""

    path: str
    old: str | None
    new: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """A permission request. `tool_kind` and the kinds of the options use the words of the protocol.

    `tool_name` is the name of the tool, which not every agent sends, and `arguments` are those of the call as
    the agent sent them. `paths`, `changes`, `command` and `url` describe the call further. `command` is a
    command line, or arguments of another kind if `is_line` is False. `is_exact` is False if something that
    affects the call is left out, such as a secret value: it is then not known to stay in the workspace, and
    has no "always".
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
    is_exact: bool = True

    def option(self, option_id: str) -> Option | None:
        """Return the option with this ID."""
        return next((each for each in self.options if each.option_id == option_id), None)

    def option_for(self, verdict: Verdict) -> Option | None:
        """Return the option for a verdict, preferring "once". The order of options differs between agents."""
        kinds = _PREFERENCE.get(verdict, ())
        return next((each for kind in kinds for each in self.options if each.kind == kind), None)

    def once(self, option: Option) -> Option:
        """Return the "once" variant of an option if the agent offers it, else the option."""
        return self.option_for("allow" if option.kind.startswith("allow") else "deny") or option


@dataclass(frozen=True)
class Answer:
    """The chosen option, or None to dismiss the request. `reason` is for the agent if a rule decided."""

    option: Option | None
    reason: str | None = None

    @classmethod
    def denial(cls, question: Question, reason: str) -> "Answer":
        """Deny a request, or dismiss it if the agent offers no such option."""
        return cls(question.option_for("deny"), f"Permission denied: {reason}.")
