"""The places of new runs: one named, detached actor for each, on a node that answers."""

import asyncio
from typing import Any

from sidecar.fleet.cluster import NODE_LABEL, SLOT, Cluster
from sidecar.fleet.places.pulse import NodePulse

Request = dict[str, Any]
_PULSE_SECONDS = 4.0
"""How often the nodes are asked whether they are alive while a run waits for its place."""
_NAME_SECONDS, _NAME_TRIES = 0.1, 50


class NodeSilent(Exception):
    """A node that may have got a run does not answer; the run was withdrawn before its agent started."""


class RunPlaces:
    """Create the actors of runs. `actors` are those that the gateway knows by run."""

    def __init__(self, cluster: Cluster, actors: dict[str, Any]) -> None:
        self._cluster = cluster
        self._actors = actors
        self._names: dict[str, str] = {}
        self._creating: dict[str, asyncio.Task[Any]] = {}
        self._placing: dict[str, asyncio.Task[Any]] = {}
        self.pulse = NodePulse(cluster)

    async def place(self, request: Request) -> Any:
        """Create the actor of a run, or find it; return where it is, or `pending` after a while.

        `former` is how many actors of the run died before their agent started; they are ignored.
        Raises NodeSilent, and LookupError if the run was dropped.
        """
        run = request["run"]
        if run not in self._placing:
            placing = asyncio.create_task(self._place(request), name=f"placing {run}")
            placing.add_done_callback(lambda done: done.cancelled() or done.exception())  # may be dropped
            self._placing[run] = placing
        placing = self._placing[run]
        await asyncio.wait({placing}, timeout=request["within"])
        if not placing.done():
            return {"pending": True}
        self._placing.pop(run, None)
        if placing.cancelled():
            raise LookupError("the run was stopped while it waited for a slot")
        return placing.result()

    async def created(self, run: str) -> None:
        """Wait until an actor that is being created can be ended; otherwise it would stay."""
        if run in self._creating:
            await asyncio.wait({self._creating[run]})

    def cancel(self, run: str) -> bool:
        """Stop waiting for the place of a run; return whether it had none."""
        placing = self._placing.pop(run, None)
        return placing is not None and placing.cancel()

    async def named(self, placed: dict[str, Any]) -> dict[str, Any]:
        """Add the name of the node to the answer of an actor."""
        return {**placed, "node": await self._name(placed["nodeId"])}

    async def _name(self, node_id: str) -> str:
        if node_id not in self._names:
            nodes = await asyncio.to_thread(self._cluster.nodes)
            self._names.update({node["nodeId"]: node["name"] for node in nodes})
        return self._names.get(node_id, node_id)

    async def _place(self, request: Request) -> Any:
        run, nodes, silence = request["run"], request["nodes"], request["silence"]
        if request["former"]:
            await self._end_former(run)
        creating = self._creating[run] = asyncio.create_task(asyncio.to_thread(self._create, request))
        try:
            actor = self._actors[run] = await creating
        finally:
            self._creating.pop(run, None)
        since = asyncio.get_running_loop().time()
        placed = asyncio.create_task(self._placed(actor), name=f"place of {run}")
        try:
            while True:
                await asyncio.wait({placed}, timeout=min(_PULSE_SECONDS, silence / 5))
                if placed.done():
                    return placed.result()
                if silent := self.pulse.silent(nodes, since, silence):
                    await self._withdraw(run, actor)
                    raise NodeSilent(f"node {await self._name(silent[0])!r} did not answer for {silence:g} s")
                self.pulse.ask(nodes)
        finally:
            placed.cancel()

    async def _placed(self, actor: Any) -> dict[str, Any]:
        return await self.named(await actor.place.remote())

    async def _end_former(self, run: str) -> None:
        """Kill an actor whose process died, so that the next one can have its name."""
        try:
            actor = await asyncio.to_thread(self._cluster.ray.get_actor, f"run-{run}")
        except ValueError:
            return
        await self._withdraw(run, actor)

    async def _withdraw(self, run: str, actor: Any) -> None:
        """End an actor that may be on a frozen node, so that its name is free. Its agent was not started."""
        self._actors.pop(run, None)
        await asyncio.to_thread(self._cluster.ray.kill, actor, no_restart=True)
        for _ in range(_NAME_TRIES):
            try:
                await asyncio.to_thread(self._cluster.ray.get_actor, f"run-{run}")
            except ValueError:
                return
            await asyncio.sleep(_NAME_SECONDS)

    def _create(self, request: Request) -> Any:
        from sidecar.fleet.actor import RunActor

        actor = self._cluster.ray.remote(RunActor).options(
            name=f"run-{request['run']}",
            lifetime="detached",
            get_if_exists=True,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=100,
            num_cpus=0,
            resources={SLOT: request["slots"]},
            label_selector={NODE_LABEL: f"in({','.join(request['nodes'])})"},
        )
        return actor.remote(request["run"], request["repository"], request["prefix"], request["base"])
