"""Make qwen ask, and keep it from starting programs that a repository names."""

from pathlib import Path

from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun

_FOLDER = Path(__file__).parent


def guard(run: GuardedRun) -> Extras:
    """Mark the workspace as untrusted, and add rules that ask as system settings, which take precedence.

    In an untrusted workspace, qwen ignores the workspace's settings (MCP servers, hooks, commands that
    discover tools), `.env` files and extensions.
    """
    settings = "qwen.json" if run.must_ask else "qwen_untrusted.json"
    env = {
        "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(_FOLDER / settings),
        "QWEN_CODE_TRUSTED_FOLDERS_PATH": str(_FOLDER / "qwen_folders.json"),
    }
    return Extras(env=env, instructions=("QWEN.md", "AGENTS.md"))
