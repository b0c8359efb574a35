"""The facts of one session, from its records."""

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from sidecar.history.stores.claude.records import Usage

State = Literal["empty", "open", "unclear", "answered", "cancelled", "failed"]
"""How the last record that matters leaves a session; `unclear` is a text without a reason to stop."""


@dataclass(slots=True)
class Titles:
    """The candidates for a title, and the summaries that name a session by the ID of its last record."""

    custom: str = ""
    ai: str = ""
    prompt: str = ""
    command: str = ""
    summaries: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of the uuid of the last record and the text."""


@dataclass(slots=True)
class Facts:
    """The facts of one session; records copied from another session count for the title only."""

    first: str = ""
    """The times of the first and last own record, in a form that sorts."""
    last: str = ""
    end: str = ""
    """The time of the last record of all."""
    start: str = ""
    """The time of the first record with an ID, which may be a copy."""
    is_branch: bool = False
    """Whether the first record says that it is a copy."""
    never_copied: str = ""
    """The time of the first record without an ID, which no other session copies."""
    cwd: str = ""
    copied_cwd: str = ""
    model: str = ""
    prompts: int = 0
    answers: dict[str, Usage | None] = field(default_factory=dict)
    """Own answers by key, as their record with the most output tokens has it; None for one without usage."""
    models: dict[str, str] = field(default_factory=dict)
    """The models of own answers by key, except those of the model that answered first."""
    first_model: str = ""
    costs: dict[str, float] = field(default_factory=dict)
    """The recorded costs of own answers in USD, which most versions do not write."""
    titles: Titles = field(default_factory=Titles)
    state: State = "empty"
    content: msgspec.Raw | None = None
    """The content of the answer that left the state unclear."""
    session: str = ""
    """The session that the first record names."""
    uuids: list[str] = field(default_factory=list)
    """The IDs of all records, copied ones included."""
    copied_answers: set[str] = field(default_factory=set)
    """The keys of answers that belong to another session."""
    starts: list[str] = field(default_factory=list)
    """The IDs of records at which a copy by another session may start."""

    @property
    def is_task(self) -> bool:
        """Return whether a person or a model wrote anything of its own."""
        return bool(self.prompts or self.answers or self.state == "failed")
