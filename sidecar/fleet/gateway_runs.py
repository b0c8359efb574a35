"""The runs that a gateway serves: one named, detached actor for each."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from sidecar.fleet.cluster import NODE_LABEL, SLOT, Cluster

Write = Callable[[bytes], Awaitable[None]]
Request = dict[str, Any]
_CALL_SECONDS = 30.0
_DROP_SECONDS = 8.0
_GC_SECONDS = 240.0
WINDOW = 8
"""How many batches of a run may be on their way to the sidecar or wait in the gateway."""


class GatewayRuns:
    """Place, follow and end runs."""

    def __init__(self, cluster: Cluster, write: Write) -> None:
        self._cluster = cluster
        self._write = write
        self._actors: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        self._following: dict[str, asyncio.Task[None]] = {}
        self._credits: dict[int, asyncio.Semaphore] = {}
        self._creating: dict[str, asyncio.Task[Any]] = {}
        self._placing: dict[str, asyncio.Task[Any]] = {}

    def acknowledge(self, stream: int) -> None:
        """Allow one more batch of a followed run."""
        if stream in self._credits:
            self._credits[stream].release()

    async def op_place(self, request: Request) -> Any:
        """Create the actor of a run, or find it; answer when it is on a node, which may take long."""
        run = request["run"]
        creating = self._creating[run] = asyncio.create_task(asyncio.to_thread(self._create, request))
        actor = self._actors[run] = await creating
        placing = self._placing[run] = asyncio.create_task(self._placed(actor))
        try:
            return await placing
        except asyncio.CancelledError:
            raise LookupError("the run was stopped while it waited for a slot") from None
        finally:
            self._placing.pop(run, None)
            self._creating.pop(run, None)

    async def op_find(self, request: Request) -> Any:
        """Find the actor of a run. Never creates one."""
        actor = await self._actor(request)
        return await self._named(await actor.find.remote())

    async def op_put(self, request: Request) -> None:
        """Pass on a piece of the workspace's bundle."""
        data = base64.b64decode(request["data"])
        await self._call(request, "put", request["offset"], data)

    async def op_go(self, request: Request) -> None:
        """Start the agent."""
        await self._call(request, "go", request["job"])

    async def op_follow(self, request: Request) -> None:
        """Send the lines of a run after a number, from now on."""
        actor = await self._actor(request)
        old = self._following.pop(request["run"], None)
        if old is not None:
            old.cancel()
        following = asyncio.create_task(
            self._follow(request["stream"], actor, request["after"], request["heartbeat"]),
            name=f"following {request['run']}",
        )
        self._following[request["run"]] = following

    async def op_send(self, request: Request) -> None:
        """Send a message to the agent."""
        await self._call(request, "send", request["text"], request["message"])

    async def op_answer(self, request: Request) -> Any:
        """Answer a question."""
        return await self._call(request, "answer", request["number"], request["answer"])

    async def op_lastTurn(self, request: Request) -> None:
        """Let the agent take its last turn."""
        actor = await self._actor(request)
        await actor.last_turn.remote(request["missing"])

    async def op_stop(self, request: Request) -> None:
        """Stop the agent."""
        await self._call(request, "stop", request["within"])

    async def op_take(self, request: Request) -> Any:
        """Return a piece of the changes, also those of a dead actor."""
        from sidecar.fleet.salvage import piece

        try:
            return await self._call(request, "take", request["offset"])
        except Exception as error:
            if self.described(error)["kind"] != "gone" or not request.get("nodeId"):
                raise
        named = [request["run"], request["base"], request["offset"]]
        return await self._cluster.run_on(request["nodeId"], piece, *named, limit=12)

    async def op_gc(self, request: Request) -> list[str]:
        """Remove what no run uses any more from all nodes; return what was removed."""
        from sidecar.fleet.cleanup import clean_up

        names = await self.names()
        nodes = [node["nodeId"] for node in self._cluster.nodes() if node["slots"]]
        cleaned = await asyncio.gather(
            *(self._cluster.run_on(node, clean_up, names, limit=_GC_SECONDS) for node in nodes),
            return_exceptions=True,
        )
        return [name for each in cleaned if not isinstance(each, BaseException) for name in each]

    async def op_salvage(self, request: Request) -> Any:
        """Read and save what a dead actor left on its node."""
        from sidecar.fleet.salvage import salvage

        named = [request[each] for each in ("run", "repository", "prefix", "base", "after")]
        self._actors.pop(request["run"], None)
        return await self._cluster.run_on(request["nodeId"], salvage, *named, limit=12)

    async def op_drop(self, request: Request) -> None:
        """Remove a run from its node and end its actor. Does nothing if there is none."""
        from sidecar.fleet.salvage import discard

        run = request["run"]
        following = self._following.pop(run, None)
        if following is not None:
            following.cancel()
        if run in self._creating:
            await asyncio.wait({self._creating[run]})  # else its actor would stay
        try:
            actor = await self._actor(request)
            await self._dropped(run, actor)
        except Exception as error:
            if self.described(error)["kind"] != "gone":
                raise
            if request.get("nodeId"):
                await self._cluster.run_on(request["nodeId"], discard, run, limit=_DROP_SECONDS)

    async def _dropped(self, run: str, actor: Any) -> None:
        placing = self._placing.pop(run, None)
        try:
            if placing is not None:
                placing.cancel()
                return
            async with asyncio.timeout(_DROP_SECONDS):
                await actor.drop.remote()
        finally:
            self._actors.pop(run, None)
            await asyncio.to_thread(self._cluster.ray.kill, actor, no_restart=True)

    async def names(self) -> list[str]:
        """Return the runs that have an actor."""
        from ray.util import list_named_actors

        named = await asyncio.to_thread(list_named_actors, all_namespaces=False)
        return [str(name).removeprefix("run-") for name in named if str(name).startswith("run-")]

    def described(self, error: Exception) -> dict[str, str]:
        """Return an error as the sidecar reads it: `gone` for an actor that is dead, `unreachable` …"""
        text = " ".join(str(error).split())[:500] or type(error).__name__
        if isinstance(error, LookupError):
            return {"kind": "gone", "reason": text}
        kinds = self._cluster.ray.exceptions if self._cluster.ray is not None else None
        if kinds is None or isinstance(error, TimeoutError | kinds.ActorUnavailableError):
            return {"kind": "unreachable", "reason": text}
        if isinstance(error, kinds.ActorDiedError | kinds.ActorUnschedulableError):
            return {"kind": "gone", "reason": text}
        return {"kind": "failed", "reason": text}

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

    async def _placed(self, actor: Any) -> dict[str, Any]:
        return await self._named(await actor.place.remote())

    async def _named(self, placed: dict[str, Any]) -> dict[str, Any]:
        """Add the name of the node."""
        node_id = placed["nodeId"]
        if node_id not in self._names:
            nodes = await asyncio.to_thread(self._cluster.nodes)
            self._names.update({node["nodeId"]: node["name"] for node in nodes})
        return {**placed, "node": self._names.get(node_id, node_id)}

    async def _actor(self, request: Request, limit: float = _CALL_SECONDS) -> Any:
        """Return the actor of a run. Raises LookupError if there is none."""
        run = request["run"]
        if run not in self._actors:
            async with asyncio.timeout(limit):
                try:
                    self._actors[run] = await asyncio.to_thread(self._cluster.ray.get_actor, f"run-{run}")
                except ValueError:
                    raise LookupError(f"the cluster has no run {run}") from None
        return self._actors[run]

    async def _call(self, request: Request, method: str, *args: Any) -> Any:
        actor = await self._actor(request)
        async with asyncio.timeout(_CALL_SECONDS + float(request.get("within") or 0)):
            return await getattr(actor, method).remote(*args)

    async def _follow(self, stream: int, actor: Any, after: int, heartbeat: float) -> None:
        """Send batches while the sidecar acknowledges them; the rest waits on the node."""
        credit = self._credits[stream] = asyncio.Semaphore(WINDOW)
        options = {"num_returns": "streaming", "_generator_backpressure_num_objects": WINDOW}
        try:
            async for item in actor.events.options(**options).remote(after, heartbeat):
                first, activity, lines = await item
                await credit.acquire()
                await self._write(_batch(stream, first, activity, lines))
            over: dict[str, str] = {"kind": "ended", "reason": ""}
        except Exception as error:
            over = self.described(error)
        finally:
            del self._credits[stream]
        await self._write(orjson.dumps({"stream": stream, "over": over}))


def _batch(stream: int, after: int, activity: int, lines: list[bytes]) -> bytes:
    """Return the message for a batch; the lines are JSON already."""
    head = b'{"stream":%d,"after":%d,"activity":%d,"lines":[' % (stream, after, activity)
    return head + b",".join(lines) + b"]}"
