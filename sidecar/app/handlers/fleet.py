"""`fleet/status`: the cluster of a client's settings."""

from sidecar.api.runs.fleet import FleetStatus, FleetStatusParams
from sidecar.app.clients.session import Session
from sidecar.app.handlers import Handlers


async def status(session: Session, params: FleetStatusParams) -> FleetStatus:
    """Answer `fleet/status`. Starts the gateway if need be, so it requires trust."""
    from sidecar.subagents.runners.remote.status import fleet_status  # here: few users have a cluster

    session.require_trust()
    runners = session.context.runners
    return await fleet_status(runners.link())


HANDLERS: Handlers = {"fleet/status": status}
