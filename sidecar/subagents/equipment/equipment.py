"""The equipment of one run. Its values are secrets: they are kept in memory only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sidecar.api.mcp_servers import McpServerEntry
from sidecar.subagents.equipment.attachments import Attached
from sidecar.subagents.equipment.servers import Server

_REMOVED: Final = "[secret]"


@dataclass(frozen=True)
class Equipment:
    """What the agent of a run gets besides its prompt. `secrets` are values that no log may contain."""

    servers: tuple[Server, ...] = ()
    entries: Mapping[str, McpServerEntry] = field(default_factory=dict)
    """The servers of a run on a cluster, whose node fills in its own variables."""
    directories: tuple[Path, ...] = ()
    attachments: tuple[Attached, ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    def without_secrets(self, text: str) -> str:
        """Return a text of the agent, in which each secret value is replaced."""
        for secret in sorted(self.secrets, key=len, reverse=True):  # one value can be a part of another
            text = text.replace(secret, _REMOVED)
        return text
