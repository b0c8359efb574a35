"""Connect one session to its client: the methods, their handlers and the translation of errors."""

from functools import partial

from sidecar.api.errors import SidecarError
from sidecar.api.methods import METHODS
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers, fleet, insight, lifecycle, model, permissions, runs, stored
from sidecar.rpc.connection import Connection, Method
from sidecar.rpc.errors import RpcError
from sidecar.rpc.transport.stdio import PipeTransport

HANDLERS: Handlers = {
    **lifecycle.HANDLERS,
    **permissions.HANDLERS,
    **stored.HANDLERS,
    **insight.HANDLERS,
    **runs.HANDLERS,
    **fleet.HANDLERS,
    **model.HANDLERS,
}


def connect(session: Session, transport: PipeTransport) -> Connection:
    """Return the connection of a session to the client at the other end of `transport`."""
    methods = {
        name: Method(partial(handler, session), METHODS[name].params, METHODS[name].kind, METHODS[name].waits)
        for name, handler in HANDLERS.items()
    }
    session.connection = Connection(
        methods,
        admit=session.admit,
        map_error=_map_error,
        on_end=session.begin_close,
        transport=transport,
        on_message=session.heard,
        before_answer=session.acknowledgements_are_durable,
    )
    return session.connection


def _map_error(error: Exception) -> RpcError | None:
    if isinstance(error, SidecarError):
        return RpcError(error.code, error.message, dict(error.data))
    return None
