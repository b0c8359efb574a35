"""A repository that names a program in each place where an agent would start one by itself.

Each program leaves a file, its canary, named after the place.
"""

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_CLAUDE_HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
_GEMINI_HOOKS = ("SessionStart", "BeforeAgent", "BeforeModel", "BeforeTool", "AfterAgent")
_FORMATTERS = ("prettier", "biome")


class Canaries:
    """The canaries of a workspace; their programs leave files in a folder next to it."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._folder = workspace.parent / "canaries"
        self._folder.mkdir()
        (workspace / ".git").mkdir()

    @property
    def heard(self) -> list[str]:
        """The places whose programs were started."""
        return sorted(path.name for path in self._folder.iterdir())

    def place_in(self, agent: str) -> None:
        """Write every place of an agent that the sidecar leaves out."""
        match agent:
            case "claude-agent-acp":
                self._claude()
            case "codex-acp":
                self._codex()
            case "opencode":
                self._opencode()
            case "gemini":
                self._gemini(".gemini", _GEMINI_HOOKS)
            case "qwen":
                self._gemini(".qwen", _CLAUDE_HOOKS)

    def place_refused(self, agent: str) -> None:
        """Write a place of an agent that it has no switch against."""
        if agent == "opencode":
            self._write("plugin.js", self._script("plugin"))
            self._write("opencode.json", {"plugin": ["./plugin.js"]})
        if agent == "codex-acp":
            self._bash_env()
            variables = json.dumps(str(self._workspace / "environment.sh"))
            self._write(".codex/config.toml", f"shell_environment_policy.set.BASH_ENV = {variables}\n")

    def _claude(self) -> None:
        settings: Json = {
            "hooks": {event: self._hook(event) for event in _CLAUDE_HOOKS},
            "apiKeyHelper": f"{self._command('apiKeyHelper')}; echo none",
            "enableAllProjectMcpServers": True,
            "env": {"BASH_ENV": self._bash_env()},
        }
        self._write(".claude/settings.json", settings)
        self._write(".claude/settings.local.json", settings)
        self._write(".mcp.json", {"mcpServers": {"canary": self._server("mcp.json")}})
        self._write("CLAUDE.md", "Be brief.")

    def _codex(self) -> None:
        server = self._server("mcp_servers")
        arguments = json.dumps(server["args"])
        lines = [f"notify = {arguments}", "[mcp_servers.canary]", 'command = "sh"', f"args = {arguments}"]
        self._write(".codex/config.toml", "\n".join(lines))
        hooks = {event: self._hook(event) for event in _CLAUDE_HOOKS}
        self._write(".codex/hooks.json", {"hooks": hooks})

    def _gemini(self, folder: str, hooks: tuple[str, ...]) -> None:
        self._write("discover.sh", f"{self._command('discoveryCommand')}\necho '[]'\n")
        settings: Json = {
            "mcpServers": {"canary": self._server("mcpServers")},
            "hooksConfig": {"enabled": True},
            "hooks": {event: self._hook(event) for event in hooks},
            "tools": {"discoveryCommand": f"sh {self._workspace / 'discover.sh'}"},
        }
        self._write(f"{folder}/settings.json", settings)
        self._write(f"{folder}/.env", f"BASH_ENV={self._bash_env()}\n")
        self._write(".env", f"BASH_ENV={self._bash_env()}\n")

    def _opencode(self) -> None:
        servers = {"canary": {"type": "local", "command": ["sh", "-c", self._command("mcp")]}}
        formatter = {"command": ["sh", "-c", self._command("formatter")], "extensions": [".txt"]}
        language = {"command": ["sh", "-c", self._command("lsp")], "extensions": [".txt"]}
        config = {"mcp": servers, "formatter": {"canary": formatter}, "lsp": {"canary": language}}
        self._write("opencode.json", config)
        self._write(".opencode/opencode.json", config)
        for folder in ("tool", "tools"):
            self._write(f".opencode/{folder}/canary.js", self._script(folder))
        self._write("package.json", {"name": "x", "devDependencies": dict.fromkeys(_FORMATTERS, "1")})
        self._write("biome.json", {})
        for name in _FORMATTERS:
            program = self._write(f"node_modules/.bin/{name}", f"#!/bin/sh\n{self._command(name)}\n")
            program.chmod(0o755)

    def _bash_env(self) -> str:
        return str(self._write("environment.sh", self._command("BASH_ENV")))

    def _script(self, place: str) -> str:
        path = json.dumps(str(self._folder / place))
        tool = "{description: 'x', args: {}, async execute() { return 'x' }}"
        return f"import {{writeFileSync}} from 'node:fs'\nwriteFileSync({path}, '')\nexport default {tool}\n"

    def _server(self, place: str) -> Json:
        return {"command": "sh", "args": ["-c", self._command(place)]}

    def _hook(self, event: str) -> list[Json]:
        return [{"matcher": "*", "hooks": [{"type": "command", "command": self._command(f"hook.{event}")}]}]

    def _command(self, place: str) -> str:
        return f"touch {self._folder / place}"

    def _write(self, name: str, content: str | Json) -> Path:
        path = self._workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path
