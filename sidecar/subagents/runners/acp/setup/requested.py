"""Notice a model or an effort that the agent accepts but does not take. No I/O."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sidecar.subagents.runners.acp.mode_state import Category, Choice
from sidecar.subagents.runners.output.unmet import unmet

_KINDS: Mapping[Category, Literal["model", "effort"]] = {"model": "model", "thought_level": "effort"}


@dataclass(frozen=True)
class _Request:
    value: str
    before: str | None

    def is_met_by(self, choice: Choice) -> bool:
        """Return whether the agent took the value. It may report another name for the same value."""
        if self.before is None:
            return self.value.lower() in choice.current.lower()
        is_other = choice.current == self.before or choice.current in choice.offered
        return choice.current == self.value or not is_other


class Requested:
    """What was requested of a session. `unmet` reports each once, as soon as the agent contradicts it."""

    def __init__(self) -> None:
        self._open: dict[Category, _Request] = {}

    def add(self, category: Category, value: str, before: str | None = None) -> None:
        """Add a choice, and what was in force before; None for a choice on the agent's command line."""
        self._open[category] = _Request(value, before)

    def unmet(self, options: Mapping[Category, Choice]) -> Iterator[dict[str, Any]]:
        """Yield an event for each request that the options, as the agent reports them, do not meet."""
        for category, request in list(self._open.items()):
            choice = options.get(category)
            if choice is not None and not request.is_met_by(choice):
                del self._open[category]
                yield unmet(_KINDS[category], request.value, in_force=choice.current)
