"""What keeps an agent asking, even where files in the workspace tell it not to."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidecar.subagents.permissions.tool_rule import ToolRule

_RULES = Path(__file__).with_name("asking")
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
"""What opencode reads in a workspace: the first that is there."""

_UNASKED = ("read", "glob", "grep", "list", "task")
"""The tools of opencode and kilo that look, or hand work to agents that ask."""
_HARMLESS = ("todoread", "todowrite", "skill", "lsp", "question")
_PERMISSION: Mapping[str, Any] = {
    # First, since the last rule that fits decides: tools nobody knows, such as those of MCP servers.
    "*": "ask",
    **dict.fromkeys((*_UNASKED, *_HARMLESS), "allow"),
    # As in opencode's own defaults, which the first rule hides.
    "read": {"*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow"},
    **dict.fromkeys(("edit", "bash", "webfetch", "external_directory"), "ask"),
}


@dataclass(frozen=True)
class Extras:
    """Additions to the start of an agent: arguments, environment, `_meta` of the request for a session."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


Guard = Callable[[Path, ToolRule | None], Extras]
"""Returns what a run that must ask is started with, given its workspace and its list of tools."""


def merged(*metas: Mapping[str, Any]) -> dict[str, Any]:
    """Return mappings laid over one another, member by member where both hold a mapping."""
    found: dict[str, Any] = {}
    for meta in metas:
        for name, value in meta.items():
            before = found.get(name)
            if isinstance(before, Mapping) and isinstance(value, Mapping):
                found[name] = merged(before, value)
            else:
                found[name] = value
    return found


def nothing(_: Path, __: ToolRule | None) -> Extras:
    """Add nothing."""
    return Extras()


def claude(_: Path, __: ToolRule | None) -> Extras:
    """Add rules that ask, which win over rules that allow, and no hooks, which could answer for a person."""
    rules = {
        "ask": ["Bash", "Edit", "Write", "NotebookEdit", "WebFetch", "Agent", "Task"],
        # These write into the repository, and nothing that a person sees in a question says so.
        "deny": ["EnterWorktree", "CronCreate"],
    }
    settings = {"permissions": rules, "disableAllHooks": True}
    return Extras(meta={"claudeCode": {"options": {"settings": settings}}})


def codex(workspace: Path, _: ToolRule | None) -> Extras:
    """Refuse a workspace with rules of its own: they allow commands, and no mode or setting outranks them.

    Raises ValueError naming the folder and the remedy.
    """
    for folder in (workspace, *workspace.parents):
        rules = folder / ".codex" / "rules"
        if rules.is_dir() and folder != Path.home():
            raise ValueError(f"{rules} may allow commands that nobody is asked about; remove it")
        if (folder / ".git").exists():
            break
    return Extras()


def gemini(_: Path, __: ToolRule | None) -> Extras:
    """Add rules of the highest tier that ask."""
    return Extras(args=(f"--admin-policy={_RULES / 'gemini.toml'}",))


def qwen(_: Path, __: ToolRule | None) -> Extras:
    """Add rules that ask and no hooks, in the settings that win over those of a repository."""
    return Extras(env={"QWEN_CODE_SYSTEM_SETTINGS_PATH": str(_RULES / "qwen.json")})


def opencode(workspace: Path, tools: ToolRule | None) -> Extras:
    """Leave out the workspace's configuration, but not its instructions."""
    return _without_project_config("OPENCODE", ("build",), workspace, tools)


def kilo(workspace: Path, tools: ToolRule | None) -> Extras:
    """Leave out the workspace's configuration, but not its instructions."""
    return _without_project_config("KILO", ("code", "debug"), workspace, tools)


def asking_permission(prefix: str) -> dict[str, str]:
    """Return the environment that has opencode or kilo ask."""
    return {f"{prefix}_PERMISSION": json.dumps(_PERMISSION)}


def _without_project_config(
    prefix: str, agents: Iterable[str], workspace: Path, tools: ToolRule | None
) -> Extras:
    """Return the switches, and permissions for the agents too: the user may have given these their own."""
    refused = {name: "deny" for name in _UNASKED if tools is not None and not tools.gives(name)}
    permission = {**_PERMISSION, **refused}
    found = (workspace / name for name in _INSTRUCTIONS)
    config = {
        "agent": {name: {"permission": permission} for name in agents},
        "instructions": [str(path) for path in found if path.is_file()][:1],
    }
    return Extras(
        env={
            f"{prefix}_PERMISSION": json.dumps(permission),
            f"{prefix}_CONFIG_CONTENT": json.dumps(config),
            f"{prefix}_DISABLE_PROJECT_CONFIG": "1",
        }
    )
