"""Read the MCP servers of a workspace from its `.mcp.json`, the file of Claude Code and other tools."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from sidecar.api.mcp_servers import McpServerEntry

FILE: Final = ".mcp.json"
MAX_BYTES: Final = 256 * 1024
_MEMBERS: Final = ("type", "command", "args", "env", "url", "headers")
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")


def workspace_servers(folder: Path) -> dict[str, McpServerEntry]:
    """Return the servers in the file of a folder; none if there is no file. Blocking.

    Members that the sidecar does not know are ignored, since other tools define more. `${NAME}`, as Claude
    Code writes it, means the same as `${env:NAME}`. Raises ValueError, which names the file and the server.
    """
    path = folder / FILE
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror})") from error
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES >> 10} KiB; remove servers from it")
    return {name: _entry(path, name, raw) for name, raw in _raw_servers(path, data).items()}


def _raw_servers(path: Path, data: bytes) -> Mapping[str, Any]:
    try:
        document = msgspec.json.decode(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON; correct it: {error}") from None
    servers = document.get("mcpServers", {}) if isinstance(document, Mapping) else None
    if not isinstance(servers, Mapping):
        raise ValueError(f"{path} has no table mcpServers; add one, or remove the file")
    return servers


def _entry(path: Path, name: str, raw: Any) -> McpServerEntry:
    known = {key: raw[key] for key in _MEMBERS if key in raw} if isinstance(raw, Mapping) else raw
    try:
        entry = msgspec.convert(_with_prefix(known), McpServerEntry)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: mcpServers.{name}: {error}") from None
    if entry.problem is not None:
        raise ValueError(f"{path}: mcpServers.{name}: {entry.problem}")
    return entry


def _with_prefix(value: Any) -> Any:
    """Return a value with every `${NAME}` in its texts written as `${env:NAME}`."""
    match value:
        case str():
            return _VARIABLE.sub(r"${env:\1}", value)
        case list():
            return [_with_prefix(each) for each in value]
        case dict():
            return {key: _with_prefix(each) for key, each in value.items()}
    return value
