"""Explain which limit ended a run or refused a tool, and what to do. No I/O."""

from collections.abc import Sequence

from sidecar.javascript.printing import js_number


def too_many_turns(limit: int) -> str:
    """Explain that a run made more turns than allowed."""
    return (
        f"The agent was stopped at its limit of {limit} turns. Raise max_turns of the launch or maxTurns of "
        "the definition to allow more."
    )


def not_given(tools: Sequence[str]) -> str:
    """Explain which tools a run may use, since another one was refused."""
    return (
        f"this run may use only these tools: {', '.join(tools)}"
        if tools
        else "this run may not use any tools"
    )


def late(seconds: float, servers: Sequence[str] = ()) -> str:
    """Explain that an agent was not ready in time. It may have waited for the MCP `servers`."""
    waited = (
        f"It may have waited for an MCP server that does not answer: {', '.join(servers)}. "
        "Check that each one works, or leave it out of mcpServers. "
        if servers
        else ""
    )
    return (
        f"The agent was not ready within {js_number(seconds)}s of its start, so it was stopped. {waited}"
        "Raise asyncTasks.startupTimeoutSeconds if it needs longer, or start it by hand to see why."
    )


def silent(seconds: float) -> str:
    """Explain that an agent showed no activity for too long."""
    return (
        f"The agent showed no activity for {js_number(seconds)}s, so it was stopped. "
        "Raise asyncTasks.inactivityTimeoutSeconds if its work takes longer without output."
    )


def only_retried(seconds: float, failure: str) -> str:
    """Explain that an agent only repeated a request for too long, and how that failed."""
    return (
        f"The agent only repeated a failed request for {js_number(seconds)}s, so it was stopped. "
        f"The last failure: {failure}"
    )
