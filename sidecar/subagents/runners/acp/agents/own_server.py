"""The HTTP server that opencode runs for itself: lock it, and ask it which MCP servers do not work."""

import http.client
import json
import logging
import secrets
import socket
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sidecar.subagents.runners.acp.agents.extras import Extras

logger = logging.getLogger(__name__)

_HOST = "127.0.0.1"
_USER = "opencode"
_SECONDS = 2.0
_MAX_BYTES = 1024 * 1024
_WORKS = ("connected", "disabled")


@dataclass(frozen=True)
class OwnServer:
    """The server of one run. `port` is None if the sidecar did not choose it, and then cannot ask it.

    Without a password, every program on this machine could read the keys of the agent's model from this
    server, and allow what the agent asks.
    """

    port: int | None = None
    password: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def extras(self) -> Extras:
        """What the start of the agent needs."""
        port = () if self.port is None else (f"--port={self.port}",)
        return Extras(port, {"OPENCODE_SERVER_PASSWORD": self.password})

    def failed_servers(self, workspace: Path) -> dict[str, str]:
        """Return the MCP servers that do not work, each with its state or error. Blocking, for 2 seconds.

        Empty if the server does not answer: the agent's log names some failures too.
        """
        if self.port is None:
            return {}
        try:
            return dict(_failures(self._get("/mcp", workspace)))
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            logger.warning("opencode does not say which MCP servers work: %s", error)
            return {}

    def _get(self, path: str, workspace: Path) -> Any:
        connection = http.client.HTTPConnection(_HOST, self.port, timeout=_SECONDS)
        try:
            token = b64encode(f"{_USER}:{self.password}".encode()).decode()
            query = urlencode({"directory": str(workspace)})
            connection.request("GET", f"{path}?{query}", headers={"Authorization": f"Basic {token}"})
            answer = connection.getresponse()
            if answer.status != http.client.OK:
                raise ValueError(f"status {answer.status}")
            return json.loads(answer.read(_MAX_BYTES))
        finally:
            connection.close()


def free_port() -> int:
    """Return a port that is free now. If another program takes it first, the agent exits and starts again."""
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _failures(states: Any) -> Iterator[tuple[str, str]]:
    for name, state in states.items() if isinstance(states, Mapping) else ():
        status = state.get("status") if isinstance(state, Mapping) else None
        if isinstance(status, str) and status not in _WORKS:
            error = state.get("error")
            yield name, error if isinstance(error, str) and error else status
