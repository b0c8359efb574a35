"""What keeps opencode and kilo asking, and keeps programs that a repository names from starting."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.guards.extras import Extras, Guarded
from sidecar.subagents.runners.acp.guards.repository import folders

_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")
"""What opencode reads in a workspace: the first that is there."""

_UNASKED = ("read", "glob", "grep", "list")
"""The tools that look."""
_HARMLESS = ("todoread", "todowrite", "skill", "lsp", "question")
_PERMISSION: Mapping[str, Any] = {
    # First, since the last rule that fits decides: tools nobody knows, such as those of MCP servers.
    "*": "ask",
    **dict.fromkeys((*_UNASKED, *_HARMLESS), "allow"),
    # As in opencode's own defaults, which the first rule hides.
    "read": {"*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow"},
    **dict.fromkeys(("edit", "bash", "webfetch", "external_directory"), "ask"),
    # What its subagents ask never reaches a client of the protocol, so the run would wait for ever.
    "task": {"*": "deny", "explore": "allow"},
}
_EXPLORER: Mapping[str, Any] = {
    # It asks nothing.
    "*": "deny",
    **dict.fromkeys(_UNASKED, "allow"),
    "read": {"*": "allow", "*.env": "deny", "*.env.*": "deny", "*.env.example": "allow"},
    "external_directory": "deny",
}
"""Of the agent that only looks; it is there in both products."""
_PLUGIN = re.compile(r'"plugins?"')
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Product:
    """The prefix of a product's variables, its agents that work, and its settings in a repository."""

    prefix: str
    agents: tuple[str, ...]
    files: tuple[str, ...]
    directories: tuple[str, ...]


OPENCODE = Product("OPENCODE", ("build",), ("opencode",), (".opencode",))
KILO = Product("KILO", ("code", "debug"), ("kilo", "opencode"), (".kilo", ".kilocode", ".opencode"))


def opencode(run: Guarded) -> Extras:
    """Leave out the workspace's configuration, but not its instructions."""
    return _guard(OPENCODE, run)


def kilo(run: Guarded) -> Extras:
    """Leave out the workspace's configuration, but not its instructions."""
    return _guard(KILO, run)


def allowing(product: Product) -> dict[str, str]:
    """Return the environment in which opencode or kilo asks for nothing, nor do its subagents."""
    return {f"{product.prefix}_PERMISSION": json.dumps({"*": "allow"})}


def _guard(product: Product, run: Guarded) -> Extras:
    for path in _plugins(product, run.workspace):
        raise ValueError(f"{path} makes the agent load a plugin of the repository; remove it")
    found = (run.workspace / name for name in _INSTRUCTIONS)
    config: dict[str, Any] = {"instructions": [str(path) for path in found if path.is_file()][:1]}
    env = {f"{product.prefix}_DISABLE_PROJECT_CONFIG": "1"}
    if run.must_ask:
        permission = _permission(run.tools)
        # For the agents too: the user may have given these their own permissions.
        config["agent"] = {name: {"permission": permission} for name in product.agents}
        config["agent"]["explore"] = {"permission": _EXPLORER}
        env[f"{product.prefix}_PERMISSION"] = json.dumps(permission)
    # After an edit they start programs of the repository, such as node_modules/.bin/prettier.
    config |= {"formatter": False, "lsp": False}
    return Extras(env={**env, f"{product.prefix}_CONFIG_CONTENT": json.dumps(config)})


def _permission(tools: ToolRule | None) -> dict[str, Any]:
    refused = {name: "deny" for name in (*_UNASKED, "task") if tools is not None and not tools.gives(name)}
    return {**_PERMISSION, **refused}


def _plugins(product: Product, workspace: Path) -> Iterator[Path]:
    """Yield files by which a repository has the agent load plugins: no switch keeps it from that."""
    for folder in folders(workspace):
        directories = [folder / name for name in product.directories]
        yield from (path for each in directories if (path := each / "plugin").exists())
        yield from (path for each in directories if (path := each / "plugins").exists())
        yield from filter(_names_plugins, _documents(product.files, (folder, *directories)))


def _documents(names: Iterable[str], folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (folder / f"{name}{ending}" for name in names for ending in (".json", ".jsonc"))


def _names_plugins(path: Path) -> bool:
    """Tell whether a configuration may have a member for plugins; it may be JSON with comments."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), data.decode("utf-8", "replace"))
    return len(data) > _MAX_BYTES or _PLUGIN.search(text) is not None
