"""Talk to the Host of a root from a command, as a client of it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from sidecar import __version__
from sidecar.api.errors import InvalidParams, SidecarError, StorageError
from sidecar.api.lifecycle import PROTOCOL_VERSION
from sidecar.cli import output
from sidecar.cli.client import silence
from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import REQUEST_CANCELLED, ConnectionClosed, RpcError

T = TypeVar("T")

EXIT_SECONDS = 5.0
"""How long `serve` may take to exit after it has closed its output."""
_HOST_ENDED = "the Host has ended"
_GIVEN_UP = "Interrupted. When the Host continues, it drops this request, unless it has already started it."
REQUEST_SECONDS = 3600.0 * 24 * 365
"""A request of a command has no limit of its own: the person at the terminal decides."""


class HostEnded(StorageError):
    """The Host has ended, or does not let this client in."""


class HostClient:
    """A client of a Host, without a person who answers questions."""

    def __init__(self, client: RpcClient, root: Path) -> None:
        self._client = client
        self._root = root

    async def request(self, method: str, **params: Any) -> Any:
        """Return the result of a request. Raises HostEnded, and SidecarError with the Host's words."""
        try:
            async with silence.reported(self._root) as host:
                try:
                    return await self._client.request(method, params, timeout=REQUEST_SECONDS)
                except asyncio.CancelledError:
                    if host.is_silent:
                        output.echo(_GIVEN_UP, err=True)
                    raise
        except RpcError as error:
            if error.code == REQUEST_CANCELLED:  # by a Host that ends: a command cancels no request
                raise _ended(_HOST_ENDED) from None
            kind = InvalidParams if error.code == InvalidParams.code else SidecarError
            raise kind(error.message, **(error.data if isinstance(error.data, dict) else {})) from None
        except ConnectionClosed:
            raise _ended(await self._why_closed()) from None

    async def _why_closed(self) -> str:
        """Return the last line that `serve` wrote before it ended, if any."""
        words = (await self._client.last_words(EXIT_SECONDS)).strip()
        return words.rpartition("\n")[2].removeprefix("subagent-sidecar: ") or _HOST_ENDED

    def on(self, method: str, handler: Callable[[Any], None]) -> None:
        """Call `handler` with the parameters of each notification of this method."""
        self._client.on_notification(method, handler)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that attaches, which SIGTERM and SIGHUP interrupt as Ctrl+C does."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@asynccontextmanager
async def attached(
    root: Path, options: Mapping[str, str | None], workspace: Path | None = None, *, trust: bool = False
) -> AsyncIterator[HostClient]:
    """Attach to the Host of a root, which starts if necessary. `options` are those of `serve`.

    SIGTERM and SIGHUP cancel the calling task, so that a request is not left to a Host that was stopped.
    """
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    command = [sys.executable, "-m", "sidecar", "serve", "--storage-root", os.path.abspath(root)]  # noqa: PTH100, ASYNC240
    for name, value in options.items():
        command += [] if value is None else [f"--{name}", value]
    await silence.is_running(root)
    async with await RpcClient.spawn(command, stderr="collect", own_session=True) as client:
        host = HostClient(client, root)
        await host.request(
            "initialize",
            protocolVersion=PROTOCOL_VERSION,
            clientInfo={"name": "cli", "version": __version__},
            workspaceFolders=[] if workspace is None else [str(workspace)],
            workspaceTrusted=trust,
            ownDefinitionsOnly=True,
            answersQuestions=False,
        )
        client.on_notification("asyncTasks/didChange", _show)
        yield host
    sys.stderr.write(client.stderr_text)  # warnings; the reason of an error is in HostEnded


def _ended(reason: str) -> HostEnded:
    return HostEnded(reason, path="", reason=reason)


def _show(change: Any) -> None:
    """Show the status of a run on a terminal."""
    if output.on_terminal(err=True):
        output.echo(f"{change['task']['subagentName']}: {change['task']['status']}", err=True)
