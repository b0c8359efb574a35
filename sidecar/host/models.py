"""Clients of a shared Host that are models: they speak the Model Context Protocol."""

from collections.abc import Callable
from pathlib import Path

from sidecar.api.errors import InvalidParams, SidecarError
from sidecar.app.clients.delegate_client import DelegateClient
from sidecar.app.clients.model_client import ModelClient
from sidecar.app.delegation.delegation import TOKEN
from sidecar.app.host import Host
from sidecar.app.launching.workspace import Workspace
from sidecar.app.outbound.report_stream import ReportStream
from sidecar.app.settings import load_file
from sidecar.host.request import HostRequest
from sidecar.host.shared import SharedHost
from sidecar.mcp.connection import McpConnection
from sidecar.mcp.server import McpServer
from sidecar.rpc.errors import RpcError
from sidecar.rpc.transport.lines import LineDecoder
from sidecar.rpc.transport.stdio import PipeTransport


async def model_client(host: Host, request: HostRequest) -> ModelClient:
    """Return a model that has entered the Host.

    The model of a run's agent identifies itself with a token. Raises InvalidParams for settings, a workspace
    or a token that are not valid.
    """
    options, environment = request.options, dict(request.environment)
    if TOKEN in environment:
        return _delegate(host, environment[TOKEN])
    config = options.get("config")
    raw_settings = load_file(None if config is None else Path(config), environment)
    folder = Path(options.get("workspace", ""))
    if not folder.is_absolute():
        raise InvalidParams("--workspace: name a directory")
    workspace = Workspace((folder,), trusted=options.get("trust") == "yes")
    client = ModelClient(SharedHost(host), workspace, raw_settings, environment)
    await client.open(Path(options.get("given-root", host.root.path)))
    return client


def _delegate(host: Host, token: str) -> DelegateClient:
    delegation = host.delegations.find(token)
    if delegation is None:
        raise InvalidParams(f"{TOKEN}: the run of this token has ended, or another Host started it")
    client = DelegateClient(SharedHost(host), delegation)
    client.enter(host)
    return client


def connect_model(
    client: ModelClient, reading: int, writing: int, *, is_gone: Callable[[], bool]
) -> tuple[McpConnection, McpServer]:
    """Return the connection of a model over a pair of pipes, and what answers on it."""
    transport = PipeTransport(reading, writing, decoder=LineDecoder(), is_gone=is_gone)
    connection = McpConnection(transport, _map_error)
    client.connection = connection
    return connection, McpServer(client, client.piggyback, connection.notify, ReportStream)


def _map_error(error: Exception) -> RpcError | None:
    if isinstance(error, SidecarError):
        return RpcError(error.code, error.message, dict(error.data))
    return None
