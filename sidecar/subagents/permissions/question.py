"""What an agent asks permission for, and the answer it gets: values without behavior of their own."""

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True, kw_only=True)
class Question:
    """What an agent asks leave for. `tool_kind` and the kinds of the options are the protocol's words.

    `tool_name` is the tool's own name, which not every agent tells;
    `subject` is what exactly would be done, such as the command line; `paths` the files it names. `command`
    is the command line and `url` the address that would be fetched, None where the agent tells none.
    """

    request_id: str
    title: str
    options: tuple[Option, ...]
    tool_kind: str = "other"
    tool_name: str | None = None
    tool_call_id: str | None = None
    subject: str = ""
    paths: tuple[str, ...] = ()
    command: str | None = None
    url: str | None = None

    def option(self, option_id: str) -> Option | None:
        """Return the option with this id."""
        return next((each for each in self.options if each.option_id == option_id), None)

    def option_for(self, verdict: Verdict) -> Option | None:
        """Return the option that says so, the narrower first: never by position, which differs."""
        kinds = _PREFERENCE.get(verdict, ())
        return next((each for kind in kinds for each in self.options if each.kind == kind), None)

    def once(self, option: Option) -> Option:
        """Return the option that says the same for this once, where the agent offers it."""
        return self.option_for("allow" if option.kind.startswith("allow") else "deny") or option


@dataclass(frozen=True)
class Answer:
    """The option taken, None to call the question off; `reason` is for the agent, where a rule decided."""

    option: Option | None
    reason: str | None = None

    @classmethod
    def denial(cls, question: Question, reason: str) -> "Answer":
        """Refuse; where the agent offers no such option its question is called off."""
        return cls(question.option_for("deny"), f"Permission denied: {reason}.")
