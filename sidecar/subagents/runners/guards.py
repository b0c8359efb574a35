"""What keeps an agent asking, even where files in the workspace tell it not to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_RULES = Path(__file__).with_name("asking")
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
"""What opencode reads in a workspace: the first that is there."""

_ASKS = {"edit": "ask", "bash": "ask", "webfetch": "ask"}


@dataclass(frozen=True)
class Extras:
    """Additions to the start of an agent: arguments, environment, `_meta` of the request for a session."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


def claude(_: Path) -> Extras:
    """Add rules that ask: in Claude Code they win over the rules that allow, whoever wrote those."""
    ask = {"ask": ["Bash", "Edit", "Write", "NotebookEdit", "WebFetch"]}
    return Extras(meta={"claudeCode": {"options": {"settings": {"permissions": ask}}}})


def gemini(_: Path) -> Extras:
    """Add rules of the highest tier that ask."""
    return Extras(args=(f"--admin-policy={_RULES / 'gemini.toml'}",))


def qwen(_: Path) -> Extras:
    """Add rules that ask, in the settings that win over those of a repository."""
    return Extras(env={"QWEN_CODE_SYSTEM_SETTINGS_PATH": str(_RULES / "qwen.json")})


def opencode(workspace: Path) -> Extras:
    """Leave out the workspace's configuration, but not its instructions."""
    return _without_project_config("OPENCODE", ("build", "plan"), workspace)


def kilo(workspace: Path) -> Extras:
    """Leave out the workspace's configuration, but not its instructions."""
    return _without_project_config("KILO", ("code", "debug", "orchestrator"), workspace)


def asking_permission(prefix: str, **more: str) -> dict[str, str]:
    """Return the environment that has opencode or kilo ask; `more` are permissions of further tools."""
    return {f"{prefix}_PERMISSION": json.dumps({**_ASKS, **more})}


def _without_project_config(prefix: str, agents: tuple[str, ...], workspace: Path) -> Extras:
    """Return the switches; permissions of an agent in the user's own configuration would win, too."""
    config: dict[str, Any] = {"agent": {name: {"permission": _ASKS} for name in agents}}
    found = (workspace / name for name in _INSTRUCTIONS)
    config["instructions"] = [str(path) for path in found if path.is_file()][:1]
    content = {f"{prefix}_CONFIG_CONTENT": json.dumps(config)}
    return Extras(env={f"{prefix}_DISABLE_PROJECT_CONFIG": "1", **content})
