"""Decides which parts of a workspace's definition apply: it may not grant itself more than the user does.

This holds for its policy, and for MCP servers, which are programs, or addresses that get values of variables.
"""

from collections.abc import Iterable
from typing import Final

from sidecar.api.runs.subagents import DefinitionProblem
from sidecar.api.settings import Settings
from sidecar.subagents.definitions.loading import PlacedDefinition
from sidecar.subagents.definitions.model import Definition
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


_WORKSPACE_SERVERS: Final = "agents.workspaceMcpServers"


def unapproved_servers(definition: Definition, approval: str | None, settings: Settings) -> tuple[str, ...]:
    """Return the servers that a definition describes but may not start. `approval` is that of `brought_by`.

    The servers of the user take precedence. Under `allowAll` the agent may start any program anyway.
    """
    listed = definition.mcp_servers
    if listed is None or approval is None or approval in settings.agents.approved:
        return ()
    if settings.agents.workspace_mcp_servers or settings.permissions.default == "allowAll":
        return ()
    return tuple(name for name in listed.entries if name not in settings.mcp_servers)


def explain_servers(names: Iterable[str], approval: str) -> str:
    """Return why the servers of a definition may not start, and the remedy."""
    return (
        f"mcpServers: the definition comes with the workspace and describes {', '.join(names)}, which would "
        f'start programs or get values of your environment. To allow it, read the file and add "{approval}" '
        f"to the setting agents.approved, or turn on {_WORKSPACE_SERVERS}"
    )


def problem(placed: PlacedDefinition, settings: Settings, approval: str) -> DefinitionProblem:
    """Return the same explanation as a problem of the file."""
    return DefinitionProblem(path=placed.path, message=explain(placed, settings, approval))
