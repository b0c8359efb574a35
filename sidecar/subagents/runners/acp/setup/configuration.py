"""The model, the effort and the mode that a definition or a launch chooses for a session. No I/O."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sidecar.subagents.questions.texts import listed
from sidecar.subagents.runners.acp.mode_state import Category, Choice
from sidecar.subagents.runners.acp.turn import AgentError


@dataclass(frozen=True)
class Configuration:
    """What to choose in a session; None leaves the agent's own choice."""

    model: str | None = None
    effort: str | None = None
    mode: str | None = None

    def selections(self) -> Iterator[tuple[Category, str, str]]:
        """Yield the category, the key and the value of each config option to set, the model first."""
        if self.model is not None:
            yield "model", "model", self.model
        if self.effort is not None:
            yield "thought_level", "effort", self.effort


def wanted_choice(choice: Choice | None, name: str, value: str) -> Choice:
    """Return the choice with this value. Raises AgentError, which names the values that the agent knows."""
    if choice is None:
        article = "an" if name == "effort" else "a"
        raise AgentError(
            f"the agent does not support choosing {article} {name}; remove {name}: {value} from the "
            "definition or the launch"
        )
    if value not in choice.offered:
        raise AgentError(f"the agent has no {name} {value!r}; use one of: {listed(choice.offered)}")
    return replace(choice, current=value)
