"""What keeps gemini asking, and keeps programs that a repository names from starting."""

from pathlib import Path

from sidecar.subagents.runners.acp.guards.extras import Extras, Guarded

_RULES = Path(__file__).with_name("gemini.toml")


def guard(run: Guarded) -> Extras:
    """Have the agent not trust the workspace, and add rules of the highest tier that ask.

    It then reads none of the workspace's settings (MCP servers, hooks, commands that discover tools), `.env`
    files and extensions.
    """
    args = (f"--admin-policy={_RULES}",) if run.must_ask else ()
    return Extras(args, {"GEMINI_CLI_TRUST_WORKSPACE": "false"}, instructions=("GEMINI.md",))
