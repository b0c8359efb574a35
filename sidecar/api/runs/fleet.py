"""The cluster for runs that this machine does not execute."""

from sidecar.api.base import Params, Record


class FleetStatusParams(Params, kw_only=True):
    """Parameters of `fleet/status`."""

    connect: bool = True
    """Start the gateway if necessary. If false, nodes are listed only while it is running."""


class FleetNode(Record, kw_only=True):
    """A node of the cluster, with what is installed there."""

    name: str
    """Its label `fleet.name`, else its host name."""
    address: str
    """Its address in the cluster."""
    labels: dict[str, str]
    """Its labels."""
    slots: int
    """How many slots it has for runs."""
    free_slots: int
    """How many of them are free."""
    version: str | None = None
    """The version of its sidecar. Absent if it did not answer."""
    agents: list[str] | None = None
    """The known agents that are installed there. Absent if it did not answer."""
    problem: str | None = None
    """Why it executes no runs, with the remedy."""


class FleetStatus(Record, kw_only=True):
    """The cluster of the setting `fleet`."""

    configured: bool
    """Whether `fleet.gateway` is set."""
    problem: str | None = None
    """Why the cluster cannot be used, with the remedy."""
    address: str | None = None
    """The address of its head."""
    version: str | None = None
    """The version of the gateway's sidecar."""
    python: str | None = None
    """The version of the gateway's Python."""
    ray: str | None = None
    """The version of the gateway's Ray."""
    authentication: bool | None = None
    """Whether the cluster asks for a token."""
    nodes: list[FleetNode]
    """Its nodes that are alive."""
    runs: list[str]
    """The IDs of all runs on the cluster, those of other sidecars included."""
