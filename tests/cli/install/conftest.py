"""Commands that change the configuration of agents in a home of their own."""

import pytest

from tests.cli.program import Cli

USER_FILES = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "vscode": ".config/Code/User/mcp.json",
}


@pytest.fixture
def env(cli: Cli) -> dict[str, str]:
    names = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG", "XDG_CONFIG_HOME")
    return {"HOME": str(cli.home), **dict.fromkeys(names, "")}
