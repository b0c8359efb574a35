"""The clients that are attached to a shared Host, each served until it leaves."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar.api.errors import InvalidParams
from sidecar.app.clients.serving import connect
from sidecar.app.clients.session import Session
from sidecar.app.host import Host
from sidecar.app.logs import ClientLogHandler
from sidecar.app.settings import load_file
from sidecar.host.listener import Requester
from sidecar.host.request import HostRequest
from sidecar.host.shared import SharedHost
from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.stdio import PipeTransport

if TYPE_CHECKING:
    from sidecar.app.clients.model_client import ModelClient

_USAGE_ERROR = 2
_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "error": logging.ERROR}


class AttachedClients:
    """Attaches clients to a Host and counts them."""

    def __init__(
        self,
        host: Host,
        started_at: int,
        *,
        changed: Callable[[], None],
        why_stopped: Callable[[], str | None],
    ) -> None:
        """`changed` is called after a client came or left, and `why_stopped` returns None until the stop.

        `started_at` is in ms of a clock that only increases.
        """
        self._host = host
        self._started_at = started_at
        self._changed = changed
        self._why_stopped = why_stopped
        self._clients: set[Session | ModelClient] = set()

    def __len__(self) -> int:
        return len(self._clients)

    async def aclose(self) -> None:
        """End every connection."""
        clients = list(self._clients)
        for client in clients:
            client.connection.request_exit(1)
        await asyncio.gather(*(client.aclose() for client in clients))

    async def attach(self, requester: Requester) -> None:
        """Serve a client until it leaves."""
        try:
            if requester.request.options.get("wire") == "mcp":
                await self._attach_model(requester)
            else:
                session = self._session(requester.request)
                transport = PipeTransport(
                    *requester.take_pipes(), early=requester.request.early, is_gone=lambda: requester.is_gone
                )
                with self._counted(session):
                    requester.answer(await self._run(session, transport, requester))
        except InvalidParams as error:
            requester.answer(f"exit {_USAGE_ERROR} {error.message}")

    async def _attach_model(self, requester: Requester) -> None:
        from sidecar.host.models import model_client  # here, since many Hosts serve no model

        client = await model_client(self._host, requester.request)
        try:
            with self._counted(client):
                requester.answer(await self._run_model(client, *requester.take_pipes(), requester))
        finally:
            await client.aclose()

    @contextmanager
    def _counted(self, client: "Session | ModelClient") -> Iterator[None]:
        """Count a client among those that need the Host."""
        self._clients.add(client)
        self._changed()
        try:
            yield
        finally:
            self._clients.discard(client)
            self._changed()

    async def _run_model(
        self, client: "ModelClient", reading: int, writing: int, requester: Requester
    ) -> str:
        """Serve a model until it leaves; return the line with its exit code."""
        from sidecar.host.models import connect_model

        connection, server = connect_model(client, reading, writing, is_gone=lambda: requester.is_gone)
        requester.answer("ok")
        requester.watch(lambda: connection.request_exit(1))
        try:
            code = await connection.serve(server)
        finally:
            await client.aclose()  # before the exit code, which the process waits for
        return f"exit {code}{self._why(connection.framing_error, code)}"

    async def _run(self, session: Session, transport: PipeTransport, requester: Requester) -> str:
        """Serve a client until it leaves; return the line with its exit code."""
        connection = connect(session, transport)
        requester.answer("ok")
        loop = asyncio.get_running_loop()
        to_client = ClientLogHandler(loop, session.log)
        to_client.setLevel(_LEVELS.get(requester.request.options.get("log-level", ""), logging.WARNING))
        logging.getLogger().addHandler(to_client)
        requester.watch(lambda: connection.request_exit(1))
        try:
            code = await connection.serve()
        finally:
            logging.getLogger().removeHandler(to_client)
            await session.aclose()
        return f"exit {code}{self._why(connection.framing_error, code)}"

    def _why(self, error: FramingError | None, code: int) -> str:
        """Return the explanation of an exit code."""
        reason = self._why_stopped()
        if reason is not None and code:
            return f" the Host has ended{': ' if reason else ''}{reason}"
        return f" framing error: {error}" if error is not None else ""

    def _session(self, request: HostRequest) -> Session:
        """Return a new session. Raises InvalidParams for the client's settings file."""
        options, environment = request.options, dict(request.environment)
        config = options.get("config")
        raw_settings = load_file(None if config is None else Path(config), environment)
        named = options.get("given-root")
        root = self._host.root.path if named is None else Path(named)
        session = Session(
            SharedHost(self._host),
            root if named is not None else None,
            raw_settings,
            self._started_at,
            environment,
        )
        session.default_root = root
        return session
