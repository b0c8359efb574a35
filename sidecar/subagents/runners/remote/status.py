"""Describe a cluster for clients."""

from collections.abc import Mapping
from typing import Any

from sidecar.api.runs.fleet import FleetNode, FleetStatus
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayRefused
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runners.remote.requirements import node_problem

_STATUS_SECONDS = 40.0
"""Most of it is for nodes to describe themselves: the first call on a node starts a process there."""


async def fleet_status(link: FleetLink, *, connect: bool = True) -> FleetStatus:
    """Return the status of a cluster; a problem is part of it. Without `connect`, start no gateway."""
    if not link.settings.gateway:
        return _without_nodes(configured=False)
    if not connect and not link.is_connected:
        return _without_nodes()
    try:
        status = await link.status(_STATUS_SECONDS, fresh=connect)
    except TimeoutError:
        why = f"the gateway did not describe the cluster's nodes within {_STATUS_SECONDS:g} s"
        return _without_nodes(f"{why}; check them with: ray status")
    except (RunnerUnavailable, GatewayRefused, GatewayGone) as error:
        return _without_nodes(str(error))
    nodes = [_node(each, has_waited=connect) for each in status["nodes"]]
    workers = [node for node in nodes if node.slots]
    problem = None
    if not workers:
        problem = "no node has slots; start nodes with: ray start --resources '{\"agent_slot\": 4}'"
    elif all(node.problem for node in workers):
        problem = workers[0].problem
    return FleetStatus(
        configured=True,
        problem=problem,
        address=status["address"],
        version=status["version"],
        python=status["python"],
        ray=status["ray"],
        authentication=status["token"],
        nodes=nodes,
        runs=status["runs"],
    )


def _without_nodes(problem: str | None = None, *, configured: bool = True) -> FleetStatus:
    return FleetStatus(configured=configured, problem=problem, nodes=[], runs=[])


def _node(node: Mapping[str, Any], *, has_waited: bool) -> FleetNode:
    """Describe a node. One that has not described itself is a problem only if it `has_waited` for that."""
    probe = node.get("probe") or {}
    is_known = has_waited or bool(probe)
    return FleetNode(
        name=node["name"],
        address=node["address"],
        labels=node["labels"],
        slots=node["slots"],
        free_slots=node["free"],
        version=probe.get("version") or None,
        agents=probe.get("agents") if probe.get("version") else None,
        problem=node_problem(node) if node["slots"] and is_known else None,
    )
