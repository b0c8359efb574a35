"""Talk to the Host of a root from a command: as a client of it, or with a single question."""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sidecar import __version__
from sidecar.api.errors import InvalidParams, SidecarError, StorageError
from sidecar.api.lifecycle import PROTOCOL_VERSION
from sidecar.cli import output
from sidecar.host.attach import address, attaching
from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import REQUEST_CANCELLED, ConnectionClosed, RpcError

ANSWER_SECONDS = 10.0
"""How long a Host may take to answer a single question."""
EXIT_SECONDS = 5.0
"""How long `serve` may take to exit after it has closed its output."""
PAUSE_SECONDS = 0.05
_HOST_ENDED = "the Host has ended"
REQUEST_SECONDS = 3600.0 * 24 * 365
"""A request of a command has no limit of its own: the person at the terminal decides."""


class HostEnded(StorageError):
    """The Host has ended, or does not let this client in."""


class HostClient:
    """A client of a Host, without a person who answers questions."""

    def __init__(self, client: RpcClient) -> None:
        self._client = client

    async def request(self, method: str, **params: Any) -> Any:
        """Return the result of a request. Raises HostEnded, and SidecarError with the Host's words."""
        try:
            return await self._client.request(method, params, timeout=REQUEST_SECONDS)
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


@asynccontextmanager
async def attached(
    root: Path, options: Mapping[str, str | None], workspace: Path | None = None, *, trust: bool = False
) -> AsyncIterator[HostClient]:
    """Attach to the Host of a root, which starts if need be. `options` are those of `serve`."""
    command = [sys.executable, "-m", "sidecar", "serve", "--storage-root", os.path.abspath(root)]  # noqa: PTH100, ASYNC240
    for name, value in options.items():
        command += [] if value is None else [f"--{name}", value]
    async with await RpcClient.spawn(command, stderr="collect", own_session=True) as client:
        host = HostClient(client)
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


def host_status(root: Path) -> dict[str, Any] | None:
    """Return what the Host of a root says about itself; None if there is none. Raises StorageError."""
    answer = _ask(root, "status", {})
    return None if answer is None else json.loads(answer)


def stop_host(root: Path, *, cancel_running: bool) -> bool:
    """Stop the Host of a root and wait until it has ended; False if there is none.

    Raises StorageError with the Host's reason if it refuses.
    """
    options = {"cancel-running": "yes"} if cancel_running else {}
    answer = _ask(root, "stop", options, until_gone=True)
    _until_gone(root)  # also of a Host that was already ending
    return answer is not None


def _ended(reason: str) -> HostEnded:
    return HostEnded(reason, path="", reason=reason)


def _until_gone(root: Path) -> None:
    """Wait until no process holds the Host's lock of a root, so that nothing of it is left."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while attaching.is_locked(str(root)) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)


def _ask(root: Path, verb: str, options: Mapping[str, str], *, until_gone: bool = False) -> str | None:
    if not address.SUPPORTED:
        return None
    request = attaching.request_bytes(verb, __version__, options)
    link = attaching.ask(str(root), request, seconds=ANSWER_SECONDS)
    if link is None:
        return None
    try:
        answer = link.line()
        while until_gone and answer == "ok" and link.line() is not None:
            pass
    except TimeoutError:
        reason = f"the Host does not answer; see {root / address.LOG}"
        raise StorageError(f"{root}: {reason}", path=str(root), reason=reason) from None
    finally:
        link.close()
    if answer is not None and answer.startswith("error "):
        raise StorageError(answer.removeprefix("error "), path=str(root), reason="refused")
    return answer


def _show(change: Any) -> None:
    """Show the status of a run on a terminal."""
    if output.on_terminal(err=True):
        output.echo(f"{change['task']['subagentName']}: {change['task']['status']}", err=True)
