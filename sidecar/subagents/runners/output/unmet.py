"""Make the `log` events on requests of a launch that the agent did not meet or may wait for. No I/O."""

from collections.abc import Sequence
from typing import Any

from sidecar.api.runs.async_tasks import UnmetKind
from sidecar.subagents.questions.texts import line

_CHARS = 400


def unmet(
    kind: UnmetKind, wanted: str, *, in_force: str | None = None, reason: str | None = None
) -> dict[str, Any]:
    """Return the event; `in_force` is what the agent uses instead."""
    shown = {"inForce": line(in_force, _CHARS), "reason": line(reason, _CHARS)}
    members = {"kind": kind, "wanted": wanted, **shown}
    known = {name: value for name, value in members.items() if value}
    return {"type": "log", "stream": "agent", "text": f"{_sentence(known)}\n", "unmet": known}


def still_starting(servers: Sequence[str]) -> dict[str, Any]:
    """Make the `log` event that names the MCP servers which may delay the start of an agent."""
    text = f"The agent is still starting. It may be waiting for an MCP server: {', '.join(servers)}\n"
    return {"type": "log", "stream": "agent", "text": text, "awaitedServers": list(servers)}


def _sentence(known: dict[str, str]) -> str:
    wanted, reason = known["wanted"], known.get("reason")
    if known["kind"] == "mcpServer":
        return f"The MCP server {wanted} does not work{f': {reason}' if reason else ''}"
    return f"The agent ignored the {known['kind']} {wanted} and uses {known.get('inForce', 'its own')}"
