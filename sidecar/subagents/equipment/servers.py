"""The MCP servers of one run, with all variables filled in. `repr` leaves out their values: secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class McpServer:
    """A server of the Model Context Protocol that an agent starts: its command, and variables to add."""

    name: str
    command: tuple[str, ...] = field(repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class RemoteServer:
    """A server of the Model Context Protocol that an agent connects to."""

    name: str
    type: Literal["http", "sse"]
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


Server = McpServer | RemoteServer
