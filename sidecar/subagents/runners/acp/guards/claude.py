"""What keeps claude-agent-acp asking, and keeps programs that a repository names from starting."""

from typing import Any

from sidecar.subagents.runners.acp.guards.extras import Extras, Guarded

_INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_RULES: dict[str, Any] = {
    "ask": ["Bash", "Edit", "Write", "NotebookEdit", "WebFetch", "Agent", "Task"],
    # These write into the repository, and nothing that a person sees in a question says so.
    "deny": ["EnterWorktree", "CronCreate"],
}


def guard(run: Guarded) -> Extras:
    """Leave out the settings of the repository; add rules that ask, which win over rules that allow.

    The repository's settings name programs (`apiKeyHelper`, hooks, MCP servers, plugins) and set environment
    variables. The user's own hooks could answer for a person.
    """
    options: dict[str, Any] = {"settingSources": ["user"]}
    if run.must_ask:
        options["settings"] = {"permissions": _RULES, "disableAllHooks": True}
    return Extras(meta={"claudeCode": {"options": options}}, instructions=_INSTRUCTIONS)
