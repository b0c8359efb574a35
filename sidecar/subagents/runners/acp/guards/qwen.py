"""What keeps qwen asking, and keeps programs that a repository names from starting."""

from pathlib import Path

from sidecar.subagents.runners.acp.guards.extras import Extras, Guarded

_FOLDER = Path(__file__).parent


def guard(run: Guarded) -> Extras:
    """Have the agent not trust the workspace, and add rules that ask, as system settings, which win.

    It then reads none of the workspace's settings (MCP servers, hooks, commands that discover tools), `.env`
    files and extensions.
    """
    settings = "qwen.json" if run.must_ask else "qwen_untrusted.json"
    env = {
        "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(_FOLDER / settings),
        "QWEN_CODE_TRUSTED_FOLDERS_PATH": str(_FOLDER / "qwen_folders.json"),
    }
    return Extras(env=env, instructions=("QWEN.md", "AGENTS.md"))
