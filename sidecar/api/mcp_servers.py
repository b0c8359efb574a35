"""Servers of the Model Context Protocol that agents get, as in the setting, definitions and `.mcp.json`."""

from typing import Final, Literal

import msgspec

from sidecar.api.base import Params

OWN_SERVER: Final = "sidecar"
"""The name that stands for the sidecar's own tools."""


class McpServerEntry(Params, kw_only=True):
    """One server: a command that the agent starts, or an address that it connects to.

    `${env:NAME}` in a value is replaced at the launch with a variable of the launching client's environment.
    """

    type: Literal["stdio", "http", "sse"] | None = None
    """How the agent reaches the server. Default: `stdio`. An address needs `http` or `sse`."""
    command: str | None = None
    """The program to start."""
    args: list[str] = msgspec.field(default_factory=list)
    """Its arguments."""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    """Environment variables to add. Their values are never logged."""
    url: str | None = None
    """The address of the server."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """HTTP headers to send. Their values are never logged."""

    @property
    def problem(self) -> str | None:
        """What is wrong with the entry and the remedy; None for an entry that can be used."""
        if self.type in ("http", "sse"):
            if not self.url:
                return f"url is missing; give the address of the {self.type} server"
            if self.command is not None or self.args or self.env:
                return f"a server of type {self.type} takes url and headers only; remove the other members"
            return None
        if self.url is not None or self.headers:
            return "an address needs type: http or type: sse; add it"
        if not self.command:
            return "command is missing; name the program that starts the server"
        return None
