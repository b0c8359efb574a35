"""The MCP servers that a definition asks for, and which of the known ones a run gets. No I/O."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from sidecar.api.mcp_servers import OWN_SERVER, McpServerEntry


@dataclass(frozen=True)
class ServerList:
    """The servers that a definition names, in its order.

    `entries` are those that it describes itself; the others are looked up. If `is_exact`, the run gets no
    server besides these.
    """

    names: tuple[str, ...]
    entries: Mapping[str, McpServerEntry] = field(default_factory=dict)
    is_exact: bool = True

    @property
    def has_own_tools(self) -> bool:
        """Whether the definition asks for the sidecar's own tools."""
        return OWN_SERVER in self.names

    def without_entries(self, names: Collection[str]) -> "ServerList":
        """Return the list with these names looked up instead of described."""
        return replace(self, entries={name: each for name, each in self.entries.items() if name not in names})


def select(wanted: ServerList | None, known: Mapping[str, McpServerEntry]) -> dict[str, McpServerEntry]:
    """Return the servers of a run by name, without the sidecar's own. `known` are those of the user.

    Without a list, a run gets all known servers. Raises ValueError for a name that is not known.
    """
    if wanted is None:
        return dict(known)
    found = {} if wanted.is_exact else dict(known)
    for name in wanted.names:
        if name == OWN_SERVER:
            continue
        entry = wanted.entries.get(name) or known.get(name)
        if entry is None:
            names = ", ".join((OWN_SERVER, *known))
            raise ValueError(f"{name!r} is not a known server; use one of: {names}")
        found[name] = entry
    return found
