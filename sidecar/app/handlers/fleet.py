"""`fleet/status`: the cluster of a client's settings."""

from sidecar.api.runs.fleet import FleetStatus, FleetStatusParams
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers


async def status(session: Session, params: FleetStatusParams) -> FleetStatus:
    """Answer `fleet/status`. It may start the gateway, so it requires trust."""
    from sidecar.subagents.runners.remote.status import fleet_status  # here: few users have a cluster

    session.require_trust()
    return await fleet_status(session.context.runners.link(), connect=params.connect)


HANDLERS: Handlers = {"fleet/status": status}
