"""The runs that a gateway serves: one named, detached actor for each."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from sidecar.fleet.cluster import Cluster
from sidecar.fleet.control import ControlService
from sidecar.fleet.places.places import NodeSilent, RunPlaces
from sidecar.subagents.runners.remote.full_disk import with_remedy

Write = Callable[[bytes], Awaitable[None]]
Request = dict[str, Any]
_CALL_SECONDS = 30.0
_DROP_SECONDS = 8.0
_SALVAGE_SECONDS = 12.0
_MOST_LINE_BYTES = 48 << 20
"""A message to the sidecar has at most 64 MiB."""
WINDOW = 8
"""How many batches of a run may be on their way to the sidecar or wait in the gateway."""


class GatewayRuns:
    """Place, follow and end runs."""

    def __init__(self, cluster: Cluster, write: Write) -> None:
        self._cluster = cluster
        self._write = write
        self._actors: dict[str, Any] = {}
        self._following: dict[str, asyncio.Task[None]] = {}
        self._credits: dict[int, asyncio.Semaphore] = {}
        self.places = RunPlaces(cluster, self._actors)
        self.control = ControlService(cluster)

    def acknowledge(self, stream: int) -> None:
        """Allow one more batch of a followed run."""
        if stream in self._credits:
            self._credits[stream].release()

    async def op_place(self, request: Request) -> Any:
        """Create the actor of a run, or find it; see `RunPlaces.place`."""
        return await self.places.place(request)

    async def op_find(self, request: Request) -> Any:
        """Find the actor of a run. Never creates one."""
        actor = await self._actor(request)
        found = await self.places.named(await actor.find.remote())
        return {**found, "silence": self.control.silence}

    async def op_put(self, request: Request) -> None:
        """Pass on a piece of the workspace's bundle, or of an attachment."""
        data = base64.b64decode(request["data"])
        await self._call(request, "put", request["offset"], data, request["attachment"])

    async def op_go(self, request: Request) -> None:
        """Start the agent."""
        await self._call(request, "go", request["job"])

    async def op_follow(self, request: Request) -> None:
        """Send the lines of a run after a number, now and as they are written."""
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
        """Return a piece of the changes, even if the actor is dead."""
        from sidecar.fleet.leftovers.salvage import piece

        try:
            return await self._call(request, "take", request["offset"])
        except Exception as error:
            if self.described(error)["kind"] != "gone" or not request.get("nodeId"):
                raise
        named = [request["run"], request["base"], request["offset"]]
        try:
            return await self._cluster.run_on(request["nodeId"], piece, *named, limit=12)
        except TimeoutError:
            raise
        except Exception as error:
            raise LookupError(f"the process of the run is gone, and so is its node: {error}") from None

    async def op_gc(self, request: Request) -> dict[str, list[str]]:
        """Remove what no run uses any more from all nodes."""
        from sidecar.fleet.leftovers.all_nodes import clean_all

        return await clean_all(self._cluster, lambda error: self.described(error)["reason"])

    async def op_salvage(self, request: Request) -> Any:
        """Read and save what a dead actor left on its node."""
        from sidecar.fleet.leftovers.salvage import salvage

        named = [request[each] for each in ("run", "repository", "prefix", "base", "after")]
        self._actors.pop(request["run"], None)
        node = await self._node_with(request["run"], request["nodeId"])
        left = await self._cluster.run_on(node, salvage, *named, limit=_SALVAGE_SECONDS)
        return {**left, "nodeId": node}

    async def op_isLeft(self, request: Request) -> Any:
        """Return whether a node has the folder of a run."""
        from sidecar.fleet.leftovers.salvage import is_left

        return await self._cluster.run_on(request["nodeId"], is_left, request["run"], limit=_SALVAGE_SECONDS)

    async def _node_with(self, run: str, node_id: str) -> str:
        """Return the node with the folder of a run: the node with this ID, or a new node on the same machine.

        Raises LookupError if there is none.
        """
        if any(node["nodeId"] == node_id for node in await asyncio.to_thread(self._cluster.nodes)):
            return node_id
        for node in await self._cluster.described(_SALVAGE_SECONDS):
            if node["probe"] is not None and run in node["probe"].runs:
                return str(node["nodeId"])
        raise LookupError("its node is not in the cluster")

    async def op_drop(self, request: Request) -> None:
        """Remove a run from its node and end its actor. Does nothing if there is none."""
        from sidecar.fleet.leftovers.salvage import discard

        run = request["run"]
        following = self._following.pop(run, None)
        if following is not None:
            following.cancel()
        await self.places.created(run)
        try:
            actor = await self._actor(request)
            await self._dropped(run, actor)
        except Exception as error:
            if self.described(error)["kind"] != "gone":
                raise
            if request.get("nodeId"):
                await self._cluster.run_on(request["nodeId"], discard, run, limit=_DROP_SECONDS)

    async def _dropped(self, run: str, actor: Any) -> None:
        try:
            if self.places.cancel(run):
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
        """Return an error as the sidecar expects it: `gone` for an actor that is dead, `unreachable` …"""
        cause = getattr(error, "cause", None)  # raised by a method of an actor; Ray adds its own class
        text = _shortened(str(cause or error)) or type(error).__name__
        if isinstance(error, NodeSilent):
            return {"kind": "silent", "reason": text}
        if isinstance(error, LookupError) and cause is None:
            return {"kind": "gone", "reason": text}
        kinds = self._cluster.ray.exceptions if self._cluster.ray is not None else None
        if kinds is None or isinstance(error, TimeoutError | kinds.ActorUnavailableError):
            return {"kind": "unreachable", "reason": text}
        if isinstance(error, kinds.ActorDiedError):
            return {"kind": "gone", "reason": _why_died(str(error))}
        if isinstance(error, kinds.ActorUnschedulableError):
            return {"kind": "gone", "reason": text}
        return {"kind": "failed", "reason": text}

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
                for number, line in enumerate(lines, first + 1):
                    _check_line(number, line)
                await self._write(_batch(stream, first, activity, self.control.silence, lines))
            over: dict[str, str] = {"kind": "ended", "reason": ""}
        except Exception as error:
            over = self.described(error)
        finally:
            del self._credits[stream]
        await self._write(orjson.dumps({"stream": stream, "over": over}))


def _why_died(text: str) -> str:
    """Return why an actor died; Ray's own text is long and ends with advice about memory."""
    if "raised in its creation task" in text:  # and its traceback
        return with_remedy(f"its node could not start it: {text.strip().splitlines()[-1].strip()}")
    if "its node has died" in text:
        return "its node died"
    if "OOM" in text and "ray.kill" not in text:
        return "it was killed or crashed, for example because the node's memory was full"
    return _shortened(text)


def _shortened(text: str) -> str:
    """Return the beginning and the end of a text: what matters in a traceback comes last."""
    words = " ".join(text.split())
    return words if len(words) <= 500 else f"{words[:200]} … {words[-300:]}"


def _check_line(number: int, line: bytes) -> None:
    """Raise ValueError unless a line of a journal is one JSON object, since it becomes part of a message.

    Any process on the node can write to the file.
    """
    try:
        is_object = len(line) <= _MOST_LINE_BYTES and isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        is_object = False
    if not is_object:
        raise ValueError(f"line {number} of the run's journal on its node is damaged ({len(line):,} bytes)")


def _batch(stream: int, after: int, activity: int, silence: float, lines: list[bytes]) -> bytes:
    """Return the message for a batch; the lines are JSON already."""
    named = (stream, after, activity, silence)
    head = b'{"stream":%d,"after":%d,"activity":%d,"silence":%.3f,"lines":[' % named
    return head + b",".join(lines) + b"]}"
