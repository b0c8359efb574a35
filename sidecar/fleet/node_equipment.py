"""The MCP servers of a run on its node, with the variables of the node filled in."""

from collections.abc import Mapping
from typing import Any

from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.equipment.filling import Filling
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.job import Job


def node_equipment(job: Job, environment: Mapping[str, str]) -> Equipment:
    """Return what the agent of a job gets. Raises RunnerUnavailable, which names unset variables."""
    filling = Filling(environment, "where Ray is started on the node")
    try:
        servers = tuple(filling.server(name, entry) for name, entry in job.servers.items())
    except ValueError as error:
        raise RunnerUnavailable(f"runner {job.runner_name!r}: mcpServers: {error}") from None
    return Equipment(servers, secrets=frozenset(filling.secrets))


def without_secrets(event: dict[str, Any], equipment: Equipment) -> dict[str, Any]:
    """Return an event without the values of the node's variables."""
    found: dict[str, Any] = equipment.secret_values.removed_from(event)
    return found
