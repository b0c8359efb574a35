"""Notify the person at the terminal that the Host does not answer, and wait for it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from sidecar.cli import output
from sidecar.host.attach import address, attaching
from sidecar.host.attach.silence import silent

_PAUSE = 0.1
_LONGEST_PAUSE = 60.0
"""The longest time between two checks whether the Host answers, during a long request."""


async def is_running(root: Path) -> bool:
    """Return whether a root has a Host. Wait until it answers, since a suspended Host may continue."""
    return await _answers(root, waiting=True)


async def answers(root: Path) -> bool:
    """Return whether the Host of a root answers, and report one that does not."""
    return await _answers(root, waiting=False)


class Reported:
    """Checks again and again during a request whether the Host is silent."""

    is_silent = False

    async def watch(self, root: Path) -> None:
        """Report each time that the Host does not answer."""
        pause = attaching.QUIET_SECONDS
        while True:
            await asyncio.sleep(pause)
            with contextlib.suppress(OSError):
                await _answers(root, waiting=True, notify=self._note)
            self.is_silent = False
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _note(self) -> None:
        self.is_silent = True


@asynccontextmanager
async def reported(root: Path) -> AsyncIterator[Reported]:
    """Report each time that the Host does not answer, while inside the context."""
    found = Reported()
    watching = asyncio.create_task(found.watch(root), name="the Host answers")
    try:
        yield found
    finally:
        watching.cancel()


async def _answers(root: Path, *, waiting: bool, notify: Callable[[], None] = lambda: None) -> bool:
    if not address.SUPPORTED:
        return False

    def say(pid: int | None) -> None:
        output.echo(f"{'Waiting: ' if waiting else ''}{silent(str(root), pid)}.", err=True)
        notify()

    try:
        link = _asked(root)
    except TimeoutError:
        say(None)
        link = await _admitted(root) if waiting else None
    if link is None:
        return False
    try:
        if not await _has_answer(link, attaching.QUIET_SECONDS):
            say(link.pid)
            if not waiting:
                return False
            await _has_answer(link, None)
        return link.line() is not None
    finally:
        link.close()


def _asked(root: Path) -> attaching.HostLink | None:
    return attaching.ask(str(root), attaching.status_request(), (), attaching.QUIET_SECONDS)


async def _admitted(root: Path) -> attaching.HostLink | None:
    """Ask again until the queue of the Host has room."""
    while True:
        with contextlib.suppress(TimeoutError):
            return _asked(root)
        await asyncio.sleep(_PAUSE)


async def _has_answer(link: attaching.HostLink, seconds: float | None) -> bool:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(link.fileno(), ready.set)
    try:
        async with asyncio.timeout(seconds):
            await ready.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(link.fileno())
    return True
