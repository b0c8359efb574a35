"""Fill variables of the environment into the descriptions of MCP servers. No I/O."""

import re
from collections.abc import Mapping

from sidecar.api.mcp_servers import McpServerEntry
from sidecar.subagents.equipment.servers import McpServer, RemoteServer, Server

_VARIABLE = re.compile(r"\$\{env:([^{}]*)\}")
MIN_SECRET_CHARS = 6
"""Shorter values of variables are not removed from logs: they would remove ordinary words."""


class Filling:
    """Fill servers with the variables of one environment. `secrets` are the values that were filled in."""

    def __init__(self, environment: Mapping[str, str], where: str = "where the client starts") -> None:
        """`where` says where a person sets a variable that is missing."""
        self._where = where
        self.secrets: set[str] = set()
        self._environment = environment
        self._missing: dict[str, None] = {}

    def server(self, name: str, entry: McpServerEntry) -> Server:
        """Return a server as the agent gets it. Raises ValueError, which names unset variables."""
        self._missing.clear()
        server = self._filled(name, entry)
        if self._missing:
            names = ", ".join(self._missing)
            variables = "the environment variable" if len(self._missing) == 1 else "the environment variables"
            raise ValueError(f"{name}: {variables} {names} is not set; set it {self._where}")
        return server

    def _filled(self, name: str, entry: McpServerEntry) -> Server:
        if entry.type is None or entry.type == "stdio":
            command = (self._text(entry.command or ""), *map(self._text, entry.args))
            return McpServer(name, command, self._values(entry.env))
        return RemoteServer(name, entry.type, self._text(entry.url or ""), self._values(entry.headers))

    def _values(self, texts: Mapping[str, str]) -> dict[str, str]:
        # The values of variables and headers are secrets, wherever they come from.
        self._note(*texts.values())
        return {key: self._text(text) for key, text in texts.items()}

    def _text(self, text: str) -> str:
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        value = self._environment.get(match[1])
        if value is None:
            self._missing[match[1] or "with an empty name"] = None
            return ""
        self._note(value)
        return value

    def _note(self, *values: str) -> None:
        self.secrets.update(value for value in values if len(value) >= MIN_SECRET_CHARS)
