"""The clients of a shared Host: attach and serve each one, answer `host status` and `host stop`."""

import asyncio
import json
import logging
import os
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sidecar import __version__
from sidecar.api.errors import InvalidParams
from sidecar.api.settings import HostSettings
from sidecar.app.clients.serving import connect
from sidecar.app.clients.session import Session
from sidecar.app.host import Host
from sidecar.app.logs import ClientLogHandler
from sidecar.app.settings import load_file
from sidecar.host import descriptors
from sidecar.host.attach.attaching import PROTOCOL
from sidecar.host.attendance import RecentAttendance
from sidecar.host.last_window import LastWindow
from sidecar.host.lifetime import Lifetime
from sidecar.host.listener import Visitor
from sidecar.host.request import HostRequest
from sidecar.host.shared import SharedHost
from sidecar.rpc.errors import FramingError
from sidecar.rpc.transport.stdio import PipeTransport

if TYPE_CHECKING:
    from sidecar.app.clients.model_client import ModelClient

logger = logging.getLogger(__name__)

_USAGE_ERROR = 2
_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "error": logging.ERROR}


class _Facts:
    """What decides how long the Host and its runs stay."""

    def __init__(self, host: Host, sessions: Sized) -> None:
        self._host = host
        self._sessions = sessions
        self._loop = asyncio.get_running_loop()

    @property
    def settings(self) -> HostSettings:
        return self._host.settings.host

    @property
    def clients(self) -> int:
        return len(self._sessions)

    @property
    def windows(self) -> int:
        return self._host.changes.answering

    @property
    def live_runs(self) -> int:
        return _live_runs(self._host)

    @property
    def now(self) -> float:
        return self._loop.time()


class Clients:
    """Serve the processes that turn to a Host, each in its own task."""

    def __init__(self, host: Host, now: Callable[[], int]) -> None:
        """`now` returns ms that only increase."""
        self._host = host
        self._now = now
        self._started_at = now()
        self._sessions: set[Session | ModelClient] = set()
        self._stopping = asyncio.Event()
        self._reason = ""
        self._kept: list[Visitor] = []
        host.delegations.is_reachable = True
        facts = _Facts(host, self._sessions)
        self._lifetime = Lifetime(facts)
        self._last_window = LastWindow(facts, host.control.end_all)
        host.registry.ended.subscribe(lambda run: self._lifetime.changed())
        host.changes.attendance = RecentAttendance(facts, self._last_window)

    async def unneeded(self) -> None:
        """Wait until the Host is stopped or nobody needs it."""
        over = asyncio.ensure_future(self._lifetime.over())
        stopping = asyncio.ensure_future(self._stopping.wait())
        watching = asyncio.ensure_future(self._last_window.watch())
        try:
            await asyncio.wait({over, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            stopping.cancel()
            watching.cancel()
        why = (self._reason or "it was stopped") if self._stopping.is_set() else "nobody needs it"
        logger.info("the Host ends: %s", why)
        self._stopping.set()

    def stop(self, reason: str = "") -> None:
        """Make `unneeded` return; the clients are given the reason."""
        self._reason = self._reason or reason
        self._stopping.set()

    async def aclose(self) -> None:
        """End every connection."""
        sessions = list(self._sessions)
        for session in sessions:
            session.connection.request_exit(1)
        await asyncio.gather(*(session.aclose() for session in sessions))

    async def serve(self, visitor: Visitor) -> None:
        """Do what a process asks for."""
        request = visitor.request
        if request.verb == "status":
            visitor.answer(json.dumps(self._status()))
        elif request.verb == "stop":
            await self._stop_for(visitor)
        elif self._stopping.is_set():
            visitor.answer("again")
        elif (refusal := self._refusal(request)) is not None:
            visitor.answer(refusal)
        else:
            await self._attach(visitor)

    async def _attach(self, visitor: Visitor) -> None:
        try:
            if visitor.request.options.get("wire") == "mcp":
                await self._attach_model(visitor)
            else:
                session = self._session(visitor.request)
                transport = PipeTransport(*visitor.take_pipes(), early=visitor.request.early)
                with self._counted(session):
                    visitor.answer(await self._run(session, transport, visitor))
        except InvalidParams as error:
            visitor.answer(f"exit {_USAGE_ERROR} {error.message}")

    async def _attach_model(self, visitor: Visitor) -> None:
        from sidecar.host.models import model_client  # here, since many Hosts serve no model

        client = await model_client(self._host, visitor.request)
        try:
            with self._counted(client):
                visitor.answer(await self._run_model(client, *visitor.take_pipes(), visitor))
        finally:
            await client.aclose()

    @contextmanager
    def _counted(self, client: "Session | ModelClient") -> Iterator[None]:
        """Count a client among those that need the Host."""
        self._sessions.add(client)
        self._lifetime.changed()
        try:
            yield
        finally:
            self._sessions.discard(client)
            self._lifetime.changed()

    async def _run_model(self, client: "ModelClient", reading: int, writing: int, visitor: Visitor) -> str:
        """Serve a model until it leaves; return the line with its exit code."""
        from sidecar.host.models import connect_model

        connection, server = connect_model(client, reading, writing)
        visitor.answer("ok")
        visitor.watch(lambda: connection.request_exit(1))
        try:
            code = await connection.serve(server)
        finally:
            await client.aclose()  # before the exit code, which the process waits for
        return f"exit {code}{self._why(connection.framing_error, code)}"

    async def _run(self, session: Session, transport: PipeTransport, visitor: Visitor) -> str:
        """Serve a client until it leaves; return the line with its exit code."""
        connection = connect(session, transport)
        visitor.answer("ok")
        loop = asyncio.get_running_loop()
        to_client = ClientLogHandler(loop, session.log)
        to_client.setLevel(_LEVELS.get(visitor.request.options.get("log-level", ""), logging.WARNING))
        logging.getLogger().addHandler(to_client)
        visitor.watch(lambda: connection.request_exit(1))
        try:
            code = await connection.serve()
        finally:
            logging.getLogger().removeHandler(to_client)
            await session.aclose()
        return f"exit {code}{self._why(connection.framing_error, code)}"

    def _why(self, error: FramingError | None, code: int) -> str:
        """Return what to say about an exit code."""
        if self._stopping.is_set() and code:
            return f" the Host has ended{': ' if self._reason else ''}{self._reason}"
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

    def _refusal(self, request: HostRequest) -> str | None:
        """Return the answer to a client that this Host cannot serve, None to any other."""
        if descriptors.is_scarce():
            return (
                f"error the Host (pid {os.getpid()}) can open only {descriptors.limit()} files, and its "
                "clients and runs already use them; close some of them, or "
                "start the Host with a higher limit (`ulimit -n`)"
            )
        is_idle = not self._sessions and not _live_runs(self._host)
        is_older = _numbers(__version__) < _numbers(request.version)
        if request.options.get("protocol") != PROTOCOL or (is_older and is_idle):
            if is_idle:
                self.stop()
                return "again"
            return (
                f"error version {request.version} cannot attach to the running Host (version {__version__}, "
                f"pid {os.getpid()}); close its clients and let its runs end, or use "
                "`subagent-sidecar host stop --cancel-running`"
            )
        return None

    def _status(self) -> dict[str, object]:
        registry = self._host.registry
        return {
            "pid": os.getpid(),
            "version": __version__,
            "uptimeMs": self._now() - self._started_at,
            "clients": len(self._sessions),
            "runs": {
                "running": len(registry.with_status("running")),
                "queued": len(registry.with_status("queued")),
            },
        }

    async def _stop_for(self, visitor: Visitor) -> None:
        live = _live_runs(self._host)
        if live and visitor.request.options.get("cancel-running") != "yes":
            runs = "1 run is" if live == 1 else f"{live} runs are"
            visitor.answer(f"error {runs} in progress; add --cancel-running to cancel them")
            return
        self._stopping.set()
        if live:
            await self._host.control.cancel_all(by="user")
        visitor.answer("ok")
        self._kept.append(visitor.kept())


def _live_runs(host: Host) -> int:
    return len(host.registry.with_status("running")) + len(host.registry.with_status("queued"))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
