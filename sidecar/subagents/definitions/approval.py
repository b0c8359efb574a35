"""Whether the policy of a definition counts: a workspace may not grant itself more than the user does."""

from sidecar.api.settings import Settings
from sidecar.api.subagents import DefinitionProblem
from sidecar.subagents.definitions.loading import PlacedDefinition
from sidecar.subagents.permissions.policy import is_wider


def brought_by(placed: PlacedDefinition) -> str | None:
    """Return the text that names a file of the workspace with its content; None for the user's own files."""
    return f"sha256:{placed.definition.digest}" if placed.level == "workspace" else None


def missing_approval(placed: PlacedDefinition, settings: Settings) -> str | None:
    """Return the text that approves the policy of a definition; None if the policy counts without, or again.

    The text names one file with one content: what changes in it is approved again.
    """
    policy, text = placed.definition.permissions, brought_by(placed)
    if text is None or policy is None or not is_wider(policy, settings.permissions.default):
        return None
    return None if text in settings.agents.approved else text


def explain(placed: PlacedDefinition, settings: Settings, approval: str) -> str:
    """Return why the policy of a definition does not count, and the remedy."""
    return (
        f"permissions: {placed.definition.permissions} is wider than permissions.default "
        f"({settings.permissions.default}) and comes with the workspace, so it does not count. To allow it, "
        f'read the file and add "{approval}" to the setting agents.approved'
    )


def problem(placed: PlacedDefinition, settings: Settings, approval: str) -> DefinitionProblem:
    """Return the same as a fault of the file."""
    return DefinitionProblem(path=placed.path, message=explain(placed, settings, approval))
