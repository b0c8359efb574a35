"""Clean up all nodes of a cluster, and name those that could not be cleaned."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sidecar.fleet.cluster import Cluster
from sidecar.fleet.leftovers.cleanup import CleanedUp, clean_up

_SECONDS = 240.0


async def clean_all(cluster: Cluster, reason: Callable[[Exception], str]) -> dict[str, list[str]]:
    """Return what was `removed`, and the `problems`; `reason` puts an error of Ray into words."""

    async def clean(node: dict[str, Any]) -> CleanedUp:
        named = f"node {node['name']!r}"
        try:
            done: CleanedUp = await cluster.run_on(node["nodeId"], clean_up, limit=_SECONDS)
            return replace(done, problems=[f"{named}: {each}" for each in done.problems])
        except TimeoutError:
            why = f"it did not answer within {_SECONDS:g} s; check it with: ray status"
        except Exception as error:
            why = reason(error)
        return CleanedUp(problems=[f"{named}: {why}"])

    nodes = await asyncio.to_thread(cluster.nodes)
    cleaned = await asyncio.gather(*(clean(node) for node in nodes if node["slots"]))
    return {
        "removed": [each for done in cleaned for each in done.removed],
        "problems": [each for done in cleaned for each in done.problems],
    }
