"""Make codex-acp ask, and keep it from starting programs that a repository names.

codex-acp trusts every folder that it works in, and has no option to ignore the settings of a repository.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun
from sidecar.subagents.runners.acp.agents.repository import folders

_SERVERS = "mcp_servers"
_TRANSPORTS = ("command", "url")
"""The members that say how a server is reached."""
_HARMLESS = frozenset(
    {
        _SERVERS,  # the guard disables these by name
        # Codex ignores a repository's `notify`, and runs only hooks that the user confirmed.
        "hooks",
        "notify",
        # The mode `read-only` overrides these.
        "approval_policy",
        "sandbox_mode",
        "sandbox_workspace_write",
        "model",
        "model_auto_compact_token_limit",
        "model_context_window",
        "model_reasoning_effort",
        "model_reasoning_summary",
        "model_verbosity",
        "personality",
        "project_doc_fallback_filenames",
        "project_doc_max_bytes",
        "review_model",
        "tool_output_token_limit",
        "web_search",
    }
)
"""Repository settings that start no programs, do not change their environment, and approve nothing."""


def guard(run: GuardedRun) -> Extras:
    """Disable the repository's MCP servers, and refuse its other settings that may start programs.

    If the agent has to ask, also refuse the repository's rules: they allow commands, and no mode or setting
    overrides them.
    """
    servers: dict[str, dict[str, Any]] = {}
    for folder in folders(run.workspace):
        rules = folder / ".codex" / "rules"
        if run.must_ask and rules.is_dir():
            raise ValueError(f"{rules} may allow commands without asking; remove it")
        servers.update(_servers(folder / ".codex" / "config.toml"))
    if not servers:
        return Extras()
    config = {_SERVERS: dict(sorted(servers.items()))}
    return Extras(env={"CODEX_CONFIG": json.dumps(config)})


def _servers(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the MCP servers in a settings file, disabled. Raises ValueError for unsafe settings.

    Each keeps its command or address: codex refuses a server without one, and does not read the files of all
    folders above the workspace.
    """
    settings = _read(path)
    if unknown := sorted(settings.keys() - _HARMLESS):
        names = ", ".join(unknown)
        raise ValueError(f"{path} has settings that may start programs without asking ({names}); remove them")
    servers = settings.get(_SERVERS, {})
    for name, server in servers.items() if isinstance(servers, Mapping) else ():
        described = server if isinstance(server, Mapping) else {}
        kept = {key: described[key] for key in _TRANSPORTS if isinstance(described.get(key), str)}
        yield name, {**kept, "enabled": False}


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # deferred to keep the sidecar's startup fast

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read ({error}); correct it") from error
