"""Recognize calls of the sidecar's own tools, which a definition gives with `mcpServers: [sidecar]`."""

from typing import Final

from sidecar.subagents.permissions.question import Question

SERVER: Final = "subagent-sidecar"
"""The name of the sidecar's MCP server in an agent."""
TOOLS: Final = ("list_tasks", "task", "check_async_tasks")
_FORMS: Final = (
    "{server}_{tool}",  # opencode
    "mcp__{server}__{tool}",  # claude
    "mcp.{server}.{tool}",  # codex
    "{tool} ({server} MCP Server)",  # gemini
)
_NAMES: Final = frozenset(form.format(server=SERVER, tool=tool) for form in _FORMS for tool in TOOLS)


def is_own_tool(question: Question) -> bool:
    """Return whether a call is of a tool of the sidecar's server, by the name that the agent gives it.

    A call that runs a command or names files or an address is of another tool, whatever its title.
    """
    if question.command is not None or question.paths or question.url is not None or question.changes:
        return False
    return (question.tool_name or question.title) in _NAMES
