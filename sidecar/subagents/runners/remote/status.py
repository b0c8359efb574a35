"""Describe a cluster for clients."""

from collections.abc import Mapping
from typing import Any

from sidecar.api.runs.fleet import FleetNode, FleetStatus
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayRefused
from sidecar.subagents.runners.remote.link import FleetLink
from sidecar.subagents.runners.remote.requirements import node_problem

_STATUS_SECONDS = 20.0


async def fleet_status(link: FleetLink) -> FleetStatus:
    """Return the status of a cluster; a problem is part of it."""
    if not link.settings.gateway:
        return FleetStatus(configured=False)
    try:
        status = await link.status(_STATUS_SECONDS, fresh=True)
    except TimeoutError:
        return FleetStatus(configured=True, problem="the cluster does not answer; check it with: ray status")
    except (RunnerUnavailable, GatewayRefused, GatewayGone) as error:
        return FleetStatus(configured=True, problem=str(error))
    nodes = [_node(each) for each in status["nodes"]]
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


def _node(node: Mapping[str, Any]) -> FleetNode:
    probe = node.get("probe") or {}
    return FleetNode(
        name=node["name"],
        address=node["address"],
        labels=node["labels"],
        slots=node["slots"],
        free_slots=node["free"],
        version=probe.get("version") or None,
        agents=probe.get("agents") if probe.get("version") else None,
        problem=node_problem(node) if node["slots"] else None,
    )
