"""The equipment of one run. Its values are secrets: they are kept in memory only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sidecar.api.mcp_servers import McpServerEntry
from sidecar.subagents.equipment.attachments import Attached
from sidecar.subagents.equipment.secret_values import SecretValues
from sidecar.subagents.equipment.servers import Server


@dataclass(frozen=True)
class Equipment:
    """What the agent of a run gets besides its prompt. `secrets` are values that no record may contain."""

    servers: tuple[Server, ...] = ()
    entries: Mapping[str, McpServerEntry] = field(default_factory=dict)
    """The servers of a run on a cluster, whose node fills in its own variables."""
    directories: tuple[Path, ...] = ()
    attachments: tuple[Attached, ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @cached_property
    def secret_values(self) -> SecretValues:
        """The secrets, in the forms in which an agent may print them."""
        return SecretValues(self.secrets)
