"""Who launches in tests of services: one client with a workspace."""

from sidecar.api.settings import SettingsSource
from sidecar.app.clients.context import Caller, ClientContext
from sidecar.app.launching.workspace import Workspace


def caller(workspace: Workspace, settings: SettingsSource) -> Caller:
    """Return a caller with the runners that the settings have now."""
    return ClientContext(settings, name="test").caller(workspace)
