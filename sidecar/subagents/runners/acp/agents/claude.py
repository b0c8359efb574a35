"""Make claude-agent-acp ask, and keep it from starting programs that a repository names."""

from typing import Any

from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun

_INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_RULES: dict[str, Any] = {
    "ask": ["Bash", "Edit", "Write", "NotebookEdit", "WebFetch", "Agent", "Task"],
    # These write into the repository, and their permission requests do not show that.
    "deny": ["EnterWorktree", "CronCreate"],
}


def guard(run: GuardedRun) -> Extras:
    """Ignore the repository's settings, and add rules that ask, which override rules that allow.

    The repository's settings can name programs (`apiKeyHelper`, hooks, MCP servers, plugins) and set
    environment variables. The user's own hooks could answer in place of a person.
    """
    options: dict[str, Any] = {"settingSources": ["user"]}
    if run.must_ask:
        options["settings"] = {"permissions": _RULES, "disableAllHooks": True}
    return Extras(meta={"claudeCode": {"options": options}}, instructions=_INSTRUCTIONS)
