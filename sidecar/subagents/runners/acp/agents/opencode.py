"""Make opencode and kilo ask, and keep them from starting programs that a repository names."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun
from sidecar.subagents.runners.acp.agents.repository import folders

_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
"""The instruction files of opencode; it reads the first one that exists in the workspace."""

_READ_TOOLS = ("read", "glob", "grep", "list")
"""The tools that only read."""
_HARMLESS = ("todoread", "todowrite", "skill", "lsp", "question")
_PERMISSION: Mapping[str, Any] = {
    # Unknown tools, such as those of MCP servers. First, because the last matching rule wins.
    "*": "ask",
    **dict.fromkeys((*_READ_TOOLS, *_HARMLESS), "allow"),
    # The same as opencode's defaults, which the first rule overrides.
    "read": {"*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow"},
    **dict.fromkeys(("edit", "bash", "webfetch", "external_directory"), "ask"),
    # Permission requests of its subagents never reach an ACP client, so the run would wait forever.
    "task": {"*": "deny", "explore": "allow"},
}
_EXPLORE_PERMISSION: Mapping[str, Any] = {
    # This agent never asks.
    "*": "deny",
    **dict.fromkeys(_READ_TOOLS, "allow"),
    "read": {"*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow"},
    "external_directory": "deny",
}
"""The permissions of the read-only agent `explore`, which both products have."""
_PLUGIN = re.compile(r'"plugins?"')
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Product:
    """The prefix of a product's variables, its working agents, and its settings in a repository."""

    prefix: str
    agents: tuple[str, ...]
    files: tuple[str, ...]
    directories: tuple[str, ...]


OPENCODE = Product("OPENCODE", ("build",), ("opencode",), (".opencode",))
KILO = Product("KILO", ("code", "debug"), ("kilo", "opencode"), (".kilo", ".kilocode", ".opencode"))


def opencode(run: GuardedRun) -> Extras:
    """Ignore the workspace's configuration, but keep its instructions."""
    return _guard(OPENCODE, run)


def kilo(run: GuardedRun) -> Extras:
    """Ignore the workspace's configuration, but keep its instructions."""
    return _guard(KILO, run)


def allow_all_env(product: Product) -> dict[str, str]:
    """Return the environment in which opencode or kilo and its subagents never ask."""
    return {f"{product.prefix}_PERMISSION": json.dumps({"*": "allow"})}


def _guard(product: Product, run: GuardedRun) -> Extras:
    for path in _plugins(product, run.workspace):
        raise ValueError(f"{path} makes the agent load a plugin of the repository; remove it")
    found = (run.workspace / name for name in _INSTRUCTIONS)
    config: dict[str, Any] = {"instructions": [str(path) for path in found if path.is_file()][:1]}
    env = {f"{product.prefix}_DISABLE_PROJECT_CONFIG": "1"}
    if run.must_ask:
        permission = _permission(run.tools)
        # Also set the permissions of the agents, since the user may have configured them per agent.
        config["agent"] = {name: {"permission": permission} for name in product.agents}
        config["agent"]["explore"] = {"permission": _EXPLORE_PERMISSION}
        env[f"{product.prefix}_PERMISSION"] = json.dumps(permission)
    # After an edit, formatters and language servers start programs of the repository, such as
    # node_modules/.bin/prettier.
    config |= {"formatter": False, "lsp": False}
    return Extras(env={**env, f"{product.prefix}_CONFIG_CONTENT": json.dumps(config)})


def _permission(tools: ToolRule | None) -> dict[str, Any]:
    refused = {name: "deny" for name in (*_READ_TOOLS, "task") if tools is not None and not tools.gives(name)}
    return {**_PERMISSION, **refused}


def _plugins(product: Product, workspace: Path) -> Iterator[Path]:
    """Yield files that make the agent load plugins of the repository, which no option prevents."""
    for folder in folders(workspace):
        directories = [folder / name for name in product.directories]
        yield from (path for each in directories if (path := each / "plugin").exists())
        yield from (path for each in directories if (path := each / "plugins").exists())
        yield from filter(_names_plugins, _documents(product.files, (folder, *directories)))


def _documents(names: Iterable[str], folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (folder / f"{name}{ending}" for name in names for ending in (".json", ".jsonc"))


def _names_plugins(path: Path) -> bool:
    """Return whether a configuration file, which may be JSON with comments, may have a plugins member."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), data.decode("utf-8", "replace"))
    return len(data) > _MAX_BYTES or _PLUGIN.search(text) is not None
