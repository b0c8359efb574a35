"""How a model calls a tool of an MCP server, whatever name its agent gives the tool."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.model_server.script import Reply, Tool

_SEARCH = "ToolSearch"
"""The tool with which claude finds the tools of servers, which it does not declare at first."""
_DEFERRED = "tool_call"
"""The tool with which qwen calls the tools of servers, after `tool_search` has shown their declarations."""
FOUND = "<functions>"
"""Text that marks the answer of a search."""


def call_served(
    tools: Sequence[Tool], answers: Sequence[str], server: str, name: str, arguments: Mapping[str, Any]
) -> Reply:
    """Return the call of a server's tool, or the search that the agent requires first."""
    names = [each.name for each in tools]
    spelled = "[-_]".join(map(re.escape, server.split("-")))  # codex writes a hyphen as an underscore
    fits = re.compile(rf"(?:^|[_:]){spelled}\W?.*[_:]{name}$|{spelled}[_:]+{name}$")
    tool = next((each for each in names if fits.search(each)), None)
    if tool is not None:
        return Reply((), False, tool, arguments)
    full = f"mcp__{server}__{name}"
    if _DEFERRED in names:
        if not any(FOUND in answer for answer in answers):
            return Reply((), False, "tool_search", {"query": f"select:{full}"})
        return Reply((), False, _DEFERRED, {"name": full, "arguments": arguments})
    if _SEARCH in names:
        return Reply((), False, _SEARCH, {"query": f"select:{full}", "max_results": 5})
    return Reply([f"The tools of {server} are missing."])
