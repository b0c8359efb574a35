"""The link to one cluster: a gateway that is started when needed and again after its death."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from sidecar import __version__
from sidecar.api.settings import FleetSettings
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayProcess, GatewayRefused
from sidecar.subagents.runners.remote.slots import ClusterSlots

VERSION_SECONDS = 5.0
"""How long a request waits until a gateway answers at all: a dead host must not hold up a launch."""
SLOW_SECONDS = 60.0
"""How long the program itself may take, on a busy machine: the next request finds it further on its way."""
_NODES_SECONDS = 10.0
CONNECT_SECONDS = 60.0
"""A bound only: the gateway finds out within seconds why it cannot connect, but joins slowly when busy."""


class GatewayFailed(RunnerUnavailable):
    """The gateway exited or was silent while it started. Another one may work."""


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
        self.versions: dict[str, Any] = {}
        self.slots = ClusterSlots(self._nodes, changed)
        self.expected: set[str] = set()
        """Lost runs whose changes may still come."""

    @property
    def is_connected(self) -> bool:
        """Whether a gateway runs that reached the cluster."""
        return self._process is not None and not self._process.is_gone

    async def gateway(self, patience: float = VERSION_SECONDS) -> GatewayProcess:
        """Return the running gateway, which is connected to the cluster.

        One that has answered is waited for until it is connected or says why it is not. Raises
        RunnerUnavailable with the remedy; GatewayFailed if another try may help, for example after
        `patience` seconds without any answer.
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
        except TimeoutError as error:
            raise _unavailable(error) from None
        return await asyncio.shield(starting)

    async def request(self, op: str, limit: float | None, **members: Any) -> Any:
        """Send one request. Raises RunnerUnavailable, GatewayRefused, GatewayGone and TimeoutError."""
        return await (await self.gateway()).request(op, limit, **members)

    async def aclose(self) -> None:
        """End the gateway. Runs on the cluster continue."""
        self.slots.close()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._process is not None:
            await self._process.close()
            self._process = None

    def expect(self, run: str) -> None:
        """Bring the changes of a lost run back when its node has them."""
        self.expected.add(run)
        self.clean()

    def clean(self) -> None:
        """Remove in the background what ended runs left on the cluster."""
        self._clean(self)

    async def status(self, limit: float, *, fresh: bool = False) -> Any:
        """Return the nodes of the cluster, and take over how many slots are free.

        A gateway that dies meanwhile is replaced, once.
        """
        try:
            status = await self.request("status", limit, fresh=fresh)
        except GatewayGone:
            status = await self.request("status", limit, fresh=fresh)
        self.slots.set(status["nodes"])
        return status

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
            self.versions = await process.request("version", SLOW_SECONDS)
            self._check_version()
            answered.set()
            self.versions = await process.request("connect", CONNECT_SECONDS, **self._address())
        except BaseException as error:
            await process.close()
            raise _unavailable(error) from None
        self._process = process
        self.clean()
        return process

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
    """Let the requests see how a start ended."""
    answered.set()
    if not starting.cancelled():
        starting.exception()  # else Python warns of it if no request waits any more


def _unavailable(error: BaseException) -> BaseException:
    if isinstance(error, TimeoutError):
        return GatewayFailed(
            "the gateway does not answer; check that fleet.gateway starts without asking for input, and "
            "fleet.address and fleet.tokenPath"
        )
    if isinstance(error, GatewayGone):
        return GatewayFailed(f"{error}; check fleet.gateway, and that the extra fleet is installed there")
    if isinstance(error, GatewayRefused):
        return RunnerUnavailable(str(error))
    return error
