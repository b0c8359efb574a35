"""Decide without asking: by policy, kind of tool and location of files, and for the sidecar's own tools."""

from pathlib import Path
from typing import Final

from sidecar.api.runs.permissions import Policy
from sidecar.subagents.permissions import reached_files
from sidecar.subagents.permissions.question import Question, Verdict

READS = frozenset({"read", "search", "think"})
EDITS = frozenset({"edit", "delete", "move"})
_WIDTH: dict[Policy, int] = {"deny": 0, "ask": 1, "allowReads": 2, "allowEdits": 3, "allowAll": 4}

SERVER: Final = "subagent-sidecar"
"""The name of the sidecar's MCP server in an agent."""
_TOOLS: Final = ("list_tasks", "task", "check_async_tasks")
_FORMS: Final = (
    "{server}_{tool}",  # opencode
    "mcp__{server}__{tool}",  # claude
    "mcp.{server}.{tool}",  # codex
    "{tool} ({server} MCP Server)",  # gemini
)
_NAMES: Final = frozenset(form.format(server=SERVER, tool=tool) for form in _FORMS for tool in _TOOLS)
"""What agents call the tools that a definition gives with `mcpServers: [sidecar]`."""


def decide(policy: Policy, question: Question, workspace: Path) -> Verdict:
    """Return the verdict of `policy` on a question.

    `allowEdits` allows an edit only if the agent names its files and all of them are in the workspace.
    """
    if policy in ("ask", "deny"):
        return policy
    if policy == "allowAll" or question.tool_kind in READS:
        return "allow"
    if policy == "allowEdits" and question.tool_kind in EDITS and reached_files.inside(question, workspace):
        return "allow"
    return "ask"


def is_wider(policy: Policy, other: Policy) -> bool:
    """Return whether `policy` lets an agent do something that `other` does not."""
    return _WIDTH[policy] > _WIDTH[other]


def is_own_tool(question: Question) -> bool:
    """Return whether a call is of a tool of the sidecar's server, by the name that the agent gives it.

    A call that runs a command or names files or an address is of another tool, whatever its title.
    """
    if question.command is not None or question.paths or question.url is not None or question.changes:
        return False
    return (question.tool_name or question.title) in _NAMES
