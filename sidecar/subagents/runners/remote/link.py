"""The link to one cluster: a gateway that is started when needed and again after its death."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from sidecar import __version__
from sidecar.api.settings import FleetSettings
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayProcess, GatewayRefused
from sidecar.subagents.runners.remote.slots import ClusterSlots

ANSWER_SECONDS = 30.0
"""How long a request waits for the first answer of a gateway that runs: its machine may be busy, or dead."""
SLOW_SECONDS = 60.0
"""How long the gateway may take until it is connected: the next request may find it connected."""
_NODES_SECONDS = 10.0
_SHARE = 0.75
"""The part of the time for a status in which nodes describe themselves to a person who asks."""
LEAVE_SECONDS = 0.5
"""How long the end of the Host waits for the removal of ended runs. The next start removes the others."""
CONNECT_SECONDS = 60.0
"""Only a bound: the gateway finds out within seconds why it cannot connect, but connects slowly when busy."""


class GatewayFailed(RunnerUnavailable):
    """The gateway exited or did not answer while it started. A new one may work."""


class FleetLink:
    """The gateway of one `fleet` setting, shared by the runs of a Host."""

    def __init__(
        self,
        settings: FleetSettings,
        environment: Mapping[str, str],
        changed: Callable[[], None],
        clean: Callable[["FleetLink"], None],
    ) -> None:
        """`changed` is called when slots may be free, and `clean` when ended runs may have left something."""
        self.settings = settings
        self._environment = environment
        self._clean = clean
        self._process: GatewayProcess | None = None
        self._starting: asyncio.Task[GatewayProcess] | None = None
        self._has_answered = asyncio.Event()
        self.waits_for: str | None = None
        """What requests wait for now, in words, and for how long at most; None if they wait for nothing."""
        self.versions: dict[str, Any] = {}
        self.slots = ClusterSlots(self._nodes, changed)
        self.expected: dict[str, str] = {}
        """Ended runs that may still be on the cluster, with the IDs of their nodes, "" if unknown."""
        self._leaving: set[asyncio.Task[Any]] = set()

    @property
    def is_connected(self) -> bool:
        """Whether a gateway runs that reached the cluster."""
        return self._process is not None and not self._process.is_gone

    async def gateway(self, patience: float = ANSWER_SECONDS) -> GatewayProcess:
        """Return the running gateway, which is connected to the cluster.

        Waits until a gateway that runs is connected or reports why it is not. Raises RunnerUnavailable with
        the remedy; GatewayFailed if another try may help, for example after `patience` seconds without any
        answer.
        """
        if self._process is not None and not self._process.is_gone:
            return self._process
        if self._starting is None or self._starting.done():
            answered = self._has_answered = asyncio.Event()
            self._starting = asyncio.create_task(self._start(answered), name="start of a gateway")
            self._starting.add_done_callback(lambda done: _note_end(done, answered))
        starting = self._starting  # others wait for it too
        try:
            async with asyncio.timeout(patience):
                await self._has_answered.wait()
        except TimeoutError:
            raise GatewayFailed(_silent(patience)) from None
        return await asyncio.shield(starting)

    async def request(self, op: str, limit: float | None, **members: Any) -> Any:
        """Send one request. Raises RunnerUnavailable, GatewayRefused, GatewayGone and TimeoutError."""
        return await (await self.gateway()).request(op, limit, **members)

    async def aclose(self) -> None:
        """End the gateway. Runs on the cluster continue; those that are being removed get a moment."""
        self.slots.close()
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=LEAVE_SECONDS)
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._process is not None:
            await self._process.close()
            self._process = None

    def leaving(self, removal: "asyncio.Task[Any]") -> None:
        """Note that this task removes an ended run from the cluster."""
        self._leaving.add(removal)
        removal.add_done_callback(self._leaving.discard)

    def expect(self, run: str, node_id: str) -> None:
        """Bring the changes of an ended run back when its node has them, and remove it there."""
        self.expected[run] = node_id
        self.clean()

    def clean(self) -> None:
        """Remove in the background what ended runs left on the cluster."""
        self._clean(self)

    async def status(self, limit: float, *, fresh: bool = False) -> Any:
        """Return the nodes of the cluster, and update the number of free slots.

        A gateway that dies meanwhile is replaced, once.
        """
        try:
            status = await self._status(limit, fresh)
        except GatewayGone:
            status = await self._status(limit, fresh)
        self.slots.set(status["nodes"])
        return status

    async def _status(self, limit: float, fresh: bool) -> Any:
        gateway = await self.gateway()
        self.waits_for = f"the nodes to describe themselves, at most {limit:g} s"
        try:
            return await gateway.request("status", limit, fresh=fresh, within=limit * _SHARE)
        finally:
            self.waits_for = None

    async def _nodes(self) -> list[dict[str, Any]]:
        status = await self.request("status", _NODES_SECONDS, probe=False)
        nodes: list[dict[str, Any]] = status["nodes"]
        return nodes

    async def _start(self, answered: asyncio.Event) -> GatewayProcess:
        if self._process is not None:
            await self._process.close()
            self._process = None
        process = await self._started()
        try:
            await self._connected(process, answered)
        except BaseException as error:
            await process.close()
            raise _unavailable(error) from None
        finally:
            self.waits_for = None
        self._process = process
        self.clean()
        return process

    async def _connected(self, process: GatewayProcess, answered: asyncio.Event) -> None:
        self.waits_for = f"an answer of the gateway, at most {ANSWER_SECONDS:g} s"
        try:
            self.versions = await process.request("version", SLOW_SECONDS)
        except TimeoutError:
            raise GatewayFailed(_silent(SLOW_SECONDS)) from None
        self._check_version()
        answered.set()
        where = f"connect to the cluster at {self.settings.address!r}"
        self.waits_for = f"the gateway to {where}, at most {CONNECT_SECONDS:g} s"
        try:
            self.versions = await process.request("connect", CONNECT_SECONDS, **self._address())
        except TimeoutError:
            raise GatewayFailed(
                f"the gateway did not {where} within {CONNECT_SECONDS:g} s; check that this is its address "
                "(fleet.address), and the cluster with: ray status"
            ) from None

    async def _started(self) -> GatewayProcess:
        argv = self.settings.gateway
        if not argv:
            raise RunnerUnavailable(
                "no cluster is configured; set fleet.gateway to the command that starts the gateway, such as "
                '["python", "-m", "sidecar.fleet.gateway"]'
            )
        try:
            return await GatewayProcess.start(argv, self._environment)
        except GatewayGone as error:
            raise RunnerUnavailable(str(error)) from None

    def _address(self) -> dict[str, Any]:
        settings = self.settings
        return {
            "address": settings.address,
            "namespace": settings.namespace,
            "tokenPath": settings.token_path,
        }

    def _check_version(self) -> None:
        theirs = self.versions.get("version")
        if theirs != __version__:
            raise RunnerUnavailable(
                f"the gateway has version {theirs} of the sidecar and this is version {__version__}; "
                f'install the same on the cluster: pip install "subagent-sidecar[fleet]=={__version__}"'
            )


def _note_end(starting: "asyncio.Task[GatewayProcess]", answered: asyncio.Event) -> None:
    """Report to the waiting requests how a start ended."""
    answered.set()
    if not starting.cancelled():
        starting.exception()  # otherwise Python warns if no request is waiting


def _silent(seconds: float) -> str:
    return (
        f"the gateway runs but has not answered for {seconds:g} s; check that the command in fleet.gateway "
        "reaches its machine and starts without asking for input, or try again if the machine is busy"
    )


def _unavailable(error: BaseException) -> BaseException:
    if isinstance(error, GatewayGone):
        return GatewayFailed(f"{error}; check fleet.gateway, and that the extra fleet is installed there")
    if isinstance(error, GatewayRefused):
        return RunnerUnavailable(str(error))
    return error
