"""Make gemini ask, and keep it from starting programs that a repository names."""

from pathlib import Path

from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun

_RULES = Path(__file__).with_name("gemini.toml")


def guard(run: GuardedRun) -> Extras:
    """Mark the workspace as untrusted, and add rules of the highest tier that ask.

    In an untrusted workspace, gemini ignores the workspace's settings (MCP servers, hooks, commands that
    discover tools), `.env` files and extensions.
    """
    args = (f"--admin-policy={_RULES}",) if run.must_ask else ()
    return Extras(args, {"GEMINI_CLI_TRUST_WORKSPACE": "false"}, instructions=("GEMINI.md",))
