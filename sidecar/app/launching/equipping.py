"""Find what the agent of a launch gets besides its prompt: MCP servers, folders and attachments."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.api.errors import InvalidParams, LaunchFailed
from sidecar.api.mcp_servers import McpServerEntry
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.clients.context import Caller
from sidecar.subagents.equipment.attachments import check_attachments
from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.equipment.filling import Filling
from sidecar.subagents.equipment.server_list import select
from sidecar.subagents.equipment.workspace_servers import FILE, workspace_servers

if TYPE_CHECKING:
    from sidecar.subagents.runs.targets.target import Target


def equip(params: LaunchParams, target: "Target", caller: Caller, directory: Path) -> Equipment:
    """Return the equipment of a run in a directory. Reads files.

    Raises InvalidParams for a wrong parameter, and LaunchFailed, which names the server and the remedy.
    Equipment that the agent does not support fails later, when its session opens.
    """
    directories = tuple(_directories(params.additional_directories or ()))
    try:
        attachments = check_attachments(params.attachments or (), directory)
    except ValueError as error:
        raise InvalidParams(
            f"attachments{error}" if str(error)[0] == "[" else f"attachments: {error}"
        ) from None
    filling = Filling(caller.environment)
    try:
        wanted = _wanted(target, caller, directory)
        if target.placement == "ray":
            from sidecar.subagents.runners.remote.extras import check as check_extras  # few users have one

            _check_travels(wanted)
            check_extras(directory, directories, attachments)
            return Equipment((), wanted, directories, attachments)
        servers = tuple(filling.server(name, entry) for name, entry in wanted.items())
    except ValueError as error:
        name, reason = target.definition.name, f"mcpServers: {error}"
        raise LaunchFailed(
            f"subagent {name!r} cannot be launched: {reason}", subagentName=name, reason=reason
        ) from None
    return Equipment(servers, {}, directories, attachments, frozenset(filling.secrets))


def _check_travels(servers: Mapping[str, McpServerEntry]) -> None:
    """Raise ValueError for a server with a value that may be a secret, which never goes to a cluster."""
    from sidecar.subagents.runners.remote.job import literal_values  # here: few users have a cluster

    for name, entry in servers.items():
        if literals := literal_values(entry):
            first = literals[0]
            raise ValueError(
                f"{name}: values of variables are not sent to a cluster; write {first} with a variable of "
                'the nodes, such as "${env:NAME}", or use placement: local'
            )


def _directories(paths: Iterable[str]) -> Iterator[Path]:
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 # unlike Path.is_dir() it never raises
            raise InvalidParams(f"additionalDirectories: {path!r} is not a directory")
        yield Path(path)


def _wanted(target: "Target", caller: Caller, directory: Path) -> dict[str, McpServerEntry]:
    listed = target.definition.mcp_servers
    if target.runner.type == "command":
        if listed is not None and listed.names:
            raise ValueError("a command does not support MCP servers; use an agent, or remove the line")
        return {}
    from sidecar.subagents.definitions.approval import explain_servers, unapproved_servers  # here: slow

    settings = caller.settings.current
    if unapproved := unapproved_servers(target.definition, target.brought_by, settings):
        raise ValueError(explain_servers(unapproved, str(target.brought_by)).removeprefix("mcpServers: "))
    known = dict(settings.mcp_servers)
    if settings.agents.workspace_mcp_servers:
        # The user's own server of a name takes precedence over that of a repository.
        known = {**_of_workspace(target, directory), **known}
    if listed is not None and target.brought_by is not None:
        listed = listed.without_entries(settings.mcp_servers)
    return select(listed, known)


def _of_workspace(target: "Target", directory: Path) -> dict[str, McpServerEntry]:
    """Return the servers of the nearest file between the directory and its trusted workspace folder.

    Raises ValueError for a link to a place that the user did not trust.
    """
    files = (folder / FILE for folder in _trusted(target, directory))
    found = next((path for path in files if path.is_file() or path.is_symlink()), None)
    if found is None:
        return {}
    if not target.trusts(found):
        raise ValueError(f"{found} is a link that leads out of the workspace; put a copy of the file there")
    return workspace_servers(found.parent)


def _trusted(target: "Target", directory: Path) -> Iterator[Path]:
    for folder in (directory, *directory.parents):
        if not target.trusts(folder):
            return
        yield folder
