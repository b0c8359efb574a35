"""Where each agent keeps its MCP servers, and in which form."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sidecar.api.errors import InvalidParams

NAME = "subagent-sidecar"
"""The name of the server in every configuration."""
Environment = Mapping[str, str]
_PLACES = ("SIDECAR_STORAGE_ROOT", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
"""The variables that determine where runs and definitions are."""
_OWN = ["-P", "-m", "sidecar", "mcp"]
"""The options of Python in an installed entry. An entry that a user writes does not need -P."""


@dataclass(frozen=True)
class AgentConfig:
    """How one agent is configured.

    `user` and `workspace` return the files that may exist, the one to create last. `entry`
    returns the server's entry for a command.
    """

    format: Literal["json", "toml"]
    container: str
    user: Callable[[Environment], Sequence[Path]]
    workspace: Callable[[Path], Sequence[Path]]
    entry: Callable[[Sequence[str]], dict[str, Any]]
    advice: str = ""
    """What the user should know about the entry."""

    def places(self, workspace: Path | None, environment: Environment = os.environ) -> Sequence[Path]:
        """Return the files that may hold the server: the workspace's, or the user's. Raises InvalidParams."""
        return self.user(environment) if workspace is None else self.workspace(workspace)


def server_command(options: Sequence[str]) -> list[str]:
    """Return the command that starts the server; it never imports from the agent's working directory."""
    return [sys.executable, *_OWN, *options]


def is_installed(entry: object) -> bool:
    """Return whether `server_command` made an entry; others are the user's own."""
    if not isinstance(entry, dict):
        return False
    lists = [each for each in entry.values() if isinstance(each, list)]
    return any(each[at : at + len(_OWN)] == _OWN for each in lists for at in range(len(each)))


def updated(entry: Any, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the wanted entry, with what the user added to an installed one."""
    if not is_installed(entry):
        return wanted
    merged, named = {**entry, **wanted}, entry.get("env_vars")
    if "env_vars" in wanted and isinstance(named, list):
        merged["env_vars"] = [*named, *(name for name in wanted["env_vars"] if name not in named)]
    return merged


def _home(environment: Environment) -> Path:
    """Return the user's folder. Raises InvalidParams if HOME names none."""
    home = environment.get("HOME")
    if home is not None and not Path(home).is_absolute():
        raise InvalidParams(f"mcp: HOME is {home!r}, not an absolute path; set it to your home folder")
    return Path.home() if home is None else Path(home)


def _claude(environment: Environment) -> Sequence[Path]:
    named = environment.get("CLAUDE_CONFIG_DIR")
    return [(Path(named) if named else _home(environment)) / ".claude.json"]


def _codex(environment: Environment) -> Sequence[Path]:
    named = environment.get("CODEX_HOME")
    return [(Path(named) if named else _home(environment) / ".codex") / "config.toml"]


def _opencode(environment: Environment) -> Sequence[Path]:
    named = environment.get("OPENCODE_CONFIG")
    if named:
        return [Path(named)]
    folder = Path(environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config") / "opencode"
    return [folder / "opencode.jsonc", folder / "opencode.json"]


def _vscode(environment: Environment) -> Sequence[Path]:
    home = _home(environment)
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return [folder / "Code" / "User" / "mcp.json"]


def _plain(command: Sequence[str]) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _stdio(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(command)}


def _in_folder(command: Sequence[str]) -> dict[str, Any]:
    """Return an entry that names the open folder, since VS Code starts servers elsewhere."""
    return _stdio([*command, "--workspace", "${workspaceFolder}"])


AGENTS: Mapping[str, AgentConfig] = {
    "claude": AgentConfig("json", "mcpServers", _claude, lambda folder: [folder / ".mcp.json"], _stdio),
    "codex": AgentConfig(
        "toml",
        "mcp_servers",
        _codex,
        lambda folder: [folder / ".codex" / "config.toml"],
        lambda command: {**_plain(command), "env_vars": list(_PLACES)},
        "Codex passes only these variables and a few others on to the server and its subagents. If they need "
        "API keys, add the names to env_vars.",
    ),
    "gemini": AgentConfig(
        "json",
        "mcpServers",
        lambda environment: [_home(environment) / ".gemini" / "settings.json"],
        lambda folder: [folder / ".gemini" / "settings.json"],
        _plain,
        "Gemini CLI passes no variables with names like KEY, TOKEN or SECRET on to the server and its "
        'subagents. If they need some, add them to the entry: "env": {"NAME": "$NAME"}.',
    ),
    "opencode": AgentConfig(
        "json",
        "mcp",
        _opencode,
        lambda folder: [folder / "opencode.jsonc", folder / "opencode.json"],
        lambda command: {"type": "local", "command": list(command), "enabled": True},
    ),
    "vscode": AgentConfig(
        "json", "servers", _vscode, lambda folder: [folder / ".vscode" / "mcp.json"], _in_folder
    ),
}
