"""What keeps codex-acp asking, and keeps programs that a repository names from starting.

It trusts every folder it works in, and has no switch that leaves out the settings of a repository.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sidecar.subagents.runners.acp.guards.extras import Extras, Guarded
from sidecar.subagents.runners.acp.guards.repository import folders

_SERVERS = "mcp_servers"
_HARMLESS = frozenset(
    {
        _SERVERS,  # these can be switched off by their names
        # Codex ignores a repository's, and runs only hooks that the user has confirmed.
        "hooks",
        "notify",
        # The mode `read-only` wins over these.
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
"""Settings of a repository that start no program, change the environment of none, and approve nothing."""


def guard(run: Guarded) -> Extras:
    """Switch off the MCP servers of the repository; refuse other settings of it that may start a program.

    Rules of the repository are refused too where the agent has to ask: they allow commands, and no mode or
    setting outranks them.
    """
    servers: set[str] = set()
    for folder in folders(run.workspace):
        rules = folder / ".codex" / "rules"
        if run.must_ask and rules.is_dir():
            raise ValueError(f"{rules} may allow commands that nobody is asked about; remove it")
        servers.update(_servers(folder / ".codex" / "config.toml"))
    if not servers:
        return Extras()
    config = {_SERVERS: {name: {"enabled": False} for name in sorted(servers)}}
    return Extras(env={"CODEX_CONFIG": json.dumps(config)})


def _servers(path: Path) -> Iterator[str]:
    """Yield the names of the MCP servers in a settings file; raises ValueError for what may start others."""
    settings = _read(path)
    if unknown := sorted(settings.keys() - _HARMLESS):
        names = ", ".join(unknown)
        raise ValueError(f"{path} has settings that may start programs without asking ({names}); remove them")
    servers = settings.get(_SERVERS, {})
    yield from servers if isinstance(servers, Mapping) else ()


def _read(path: Path) -> dict[str, Any]:
    import tomllib  # here: the start of a server has no use for it

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as fault:
        raise ValueError(f"{path} cannot be read ({fault}); correct it") from fault
