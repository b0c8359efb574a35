"""The gateway: a Ray driver that speaks NDJSON on stdio, and stores nothing.

Started as `python -m sidecar.fleet.gateway` on a node of the cluster, directly or through ssh or kubectl. A
request is `{"id", "op", …}`, its answer `{"id", "ok"}` or `{"id", "error"}`. A followed run sends
`{"stream", "after", "activity", "lines"}`, and at its end `{"stream", "over"}`. `silence` in
these, and in the answer to `find`, says for how many seconds the cluster has had no control service.
"""

import asyncio
import base64
import contextlib
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from sidecar.fleet.cluster import Cluster, ClusterError
from sidecar.fleet.gateway_runs import GatewayRuns

LINE_BYTES = 64 * 1024 * 1024
_OUT_BYTES = 1 << 20

logger = logging.getLogger(__name__)
Handler = Callable[[dict[str, Any]], Awaitable[Any]]


class Gateway:
    """Answer the requests of one sidecar until its end of the pipe closes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._cluster = Cluster()
        self._runs = GatewayRuns(self._cluster, self._write)
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers: dict[str, Handler] = {
            "version": self._version,
            "connect": self._connect,
            "status": self._status,
        }

    async def serve(self) -> None:
        """Serve until the end of the input."""
        while line := await self._reader.readline():
            request = orjson.loads(line)
            if request["op"] == "ack":
                self._runs.acknowledge(request["stream"])
                continue
            task = asyncio.create_task(self._answer(request), name=str(request.get("op")))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, request: dict[str, Any]) -> None:
        op = str(request.get("op"))
        handler = self._handlers.get(op) or getattr(self._runs, f"op_{op}", None)
        try:
            if handler is None:
                raise ClusterError(
                    f"this gateway does not support {op!r}; install the sidecar's version on its machine"
                )
            answer: dict[str, Any] = {"ok": await handler(request)}
        except ClusterError as error:
            answer = {"error": {"kind": "refused", "reason": str(error)}}
        except Exception as error:
            answer = {"error": self._runs.described(error)}
        await self._write(orjson.dumps({"id": request["id"], **answer}, default=_plain))

    async def _version(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer before Ray is imported, which takes a while."""
        from sidecar import __version__

        return {"version": __version__}

    async def _connect(self, request: dict[str, Any]) -> dict[str, Any]:
        await self._cluster.connect(request["address"], request["namespace"], request.get("tokenPath"))
        self._runs.control.watch()
        return self._versions()

    async def _status(self, request: dict[str, Any]) -> dict[str, Any]:
        probed = request.get("probe", True)
        if not probed:
            return {**self._versions(), "nodes": await asyncio.to_thread(self._cluster.nodes)}
        nodes = self._runs.places.pulse.marked(
            await self._cluster.described(request["within"] if request.get("fresh") else None)
        )
        return {**self._versions(), "nodes": nodes, "runs": await self._runs.names()}

    def _versions(self) -> dict[str, Any]:
        from sidecar import __version__

        return {
            "version": __version__,
            "python": sys.version.split()[0],
            "ray": self._cluster.ray.__version__,
            "token": os.environ.get("RAY_AUTH_MODE") == "token",
            "address": self._cluster.ray.get_runtime_context().gcs_address,
        }

    async def _write(self, line: bytes) -> None:
        """Write one line; wait while the sidecar reads slower than the runs write."""
        self._writer.write(line + b"\n")
        await self._writer.drain()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)


async def main() -> None:
    """Serve on this process's stdin and stdout. Anything else that is printed goes to stderr."""
    out = os.dup(1)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(out, "wb", buffering=0)
    )
    transport.set_write_buffer_limits(_OUT_BYTES)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    with contextlib.suppress(ConnectionError):
        await Gateway(reader, writer).serve()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
    sys.stderr.flush()
    os._exit(0)  # Ray's own shutdown takes a second, and detached actors stay anyway
