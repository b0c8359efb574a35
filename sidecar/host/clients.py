"""Serve the processes that connect to a shared Host: attach clients, answer `host status` and `host stop`."""

import asyncio
import json
import logging
import os
from collections.abc import Callable, Sized

from sidecar import __version__
from sidecar.api.settings import HostSettings
from sidecar.app.host import Host
from sidecar.host.attached_clients import AttachedClients
from sidecar.host.attendance import RecentAttendance
from sidecar.host.last_window import LastWindow
from sidecar.host.lifetime import Lifetime
from sidecar.host.listener import Requester
from sidecar.host.refusals import (
    file_refusal,
    is_older_than,
    root_refusal,
    version_fits,
    version_refusal,
)
from sidecar.host.request import HostRequest
from sidecar.subagents.tasks.outcome import LAST_WINDOW_CLOSED

logger = logging.getLogger(__name__)


class _Facts:
    """The facts that determine how long the Host and its runs stay."""

    def __init__(self, host: Host, attached: Sized) -> None:
        self._host = host
        self._attached = attached
        self._loop = asyncio.get_running_loop()

    @property
    def settings(self) -> HostSettings:
        return self._host.settings.host

    @property
    def clients(self) -> int:
        return len(self._attached)

    @property
    def windows(self) -> int:
        return self._host.changes.answering

    @property
    def live_runs(self) -> int:
        return _live_runs(self._host)

    @property
    def awaits_until(self) -> float:
        return self._host.leftovers.awaits_until

    @property
    def now(self) -> float:
        return self._loop.time()


class Clients:
    """Serve the processes that connect to a Host, each in its own task."""

    def __init__(self, host: Host, now: Callable[[], int]) -> None:
        """`now` returns ms that only increase."""
        self._host = host
        self._now = now
        self._started_at = now()
        self._stopping = asyncio.Event()
        self._reason = ""
        self._kept: list[Requester] = []
        host.delegations.is_reachable = True
        self._attached = AttachedClients(
            host,
            self._started_at,
            changed=lambda: self._lifetime.changed(),
            why_stopped=self._why_stopped,
        )
        facts = _Facts(host, self._attached)
        self._lifetime = Lifetime(facts)
        self._last_window = LastWindow(facts, lambda: host.control.end_all(LAST_WINDOW_CLOSED))
        host.registry.ended.subscribe(lambda run: self._lifetime.changed())
        host.leftovers.changed = self._lifetime.changed
        host.changes.attendance = RecentAttendance(facts, self._last_window)

    async def unneeded(self) -> None:
        """Wait until the Host is stopped or nobody needs it."""
        over = asyncio.ensure_future(self._lifetime.over(self._stopping))
        watching = asyncio.ensure_future(self._last_window.watch())
        try:
            await self._stopping.wait()
            why = self._reason or ("nobody needs it" if over.done() else "it was stopped")
        finally:
            over.cancel()
            watching.cancel()
        logger.info("the Host ends: %s", why)

    def stop(self, reason: str = "") -> None:
        """Make `unneeded` return, and send the clients the reason."""
        self._reason = self._reason or reason
        self._stopping.set()

    async def aclose(self) -> None:
        """End every connection."""
        await self._attached.aclose()

    async def serve(self, requester: Requester) -> None:
        """Answer the request of a process."""
        request = requester.request
        if requester.is_gone:
            logger.info("a request (%s) is ignored: its process did not wait for the answer", request.verb)
        elif (refusal := root_refusal(request, self._host.root.path)) is not None:
            requester.answer(refusal)
        elif request.verb == "status":
            requester.answer(json.dumps(self._status()))
        elif request.verb == "stop":
            await self._stop_for(requester)
        elif self._stopping.is_set():
            requester.answer("again")
        elif (refusal := self._refusal(request)) is not None:
            requester.answer(refusal)
        else:
            await self._attached.attach(requester)

    def _refusal(self, request: HostRequest) -> str | None:
        """Return the answer to a client that this Host cannot serve, None to any other."""
        if (refusal := file_refusal()) is not None:
            return refusal
        is_idle = not _live_runs(self._host)
        if version_fits(request, is_idle=is_idle):
            return None
        # Attached clients move to the next Host. An older client must not replace it again.
        if is_idle and (is_older_than(request) or not self._attached):
            self.stop()
            return "again"
        return version_refusal(request)

    def _why_stopped(self) -> str | None:
        return self._reason if self._stopping.is_set() else None

    def _status(self) -> dict[str, object]:
        registry = self._host.registry
        return {
            "pid": os.getpid(),
            "version": __version__,
            "uptimeMs": self._now() - self._started_at,
            "clients": len(self._attached),
            "runs": {
                "running": len(registry.with_status("running")),
                "queued": len(registry.with_status("queued")),
            },
        }

    async def _stop_for(self, requester: Requester) -> None:
        live = _live_runs(self._host)
        if live and requester.request.options.get("cancel-running") != "yes":
            runs = "1 run is" if live == 1 else f"{live} runs are"
            requester.answer(f"error {runs} in progress; add --cancel-running to cancel them")
            return
        self._stopping.set()
        if live:
            await self._host.control.cancel_all(by="user")
        requester.answer("ok")
        self._kept.append(requester.kept())


def _live_runs(host: Host) -> int:
    return len(host.registry.with_status("running")) + len(host.registry.with_status("queued"))
