"""Decides whether the policy of a definition applies: a workspace may not grant itself more than the user."""

from sidecar.api.runs.subagents import DefinitionProblem
from sidecar.api.settings import Settings
from sidecar.subagents.definitions.loading import PlacedDefinition
from sidecar.subagents.permissions.policy import is_wider


def brought_by(placed: PlacedDefinition) -> str | None:
    """Return the text that identifies a workspace file and its content; None for the user's own files."""
    return f"sha256:{placed.definition.digest}" if placed.level == "workspace" else None


def missing_approval(placed: PlacedDefinition, settings: Settings) -> str | None:
    """Return the text that would approve the policy of a definition; None if no approval is needed.

    The text identifies one file with one content, so a changed file needs a new approval.
    """
    policy, text = placed.definition.permissions, brought_by(placed)
    if text is None or policy is None or not is_wider(policy, settings.permissions.default):
        return None
    return None if text in settings.agents.approved else text


def explain(placed: PlacedDefinition, settings: Settings, approval: str) -> str:
    """Return why the policy of a definition does not apply, and the remedy."""
    return (
        f"permissions: {placed.definition.permissions} is wider than permissions.default "
        f"({settings.permissions.default}) and comes with the workspace, so it does not apply. To allow it, "
        f'read the file and add "{approval}" to the setting agents.approved'
    )


def problem(placed: PlacedDefinition, settings: Settings, approval: str) -> DefinitionProblem:
    """Return the same explanation as a problem of the file."""
    return DefinitionProblem(path=placed.path, message=explain(placed, settings, approval))
