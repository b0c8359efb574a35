"""A home with one root, and the Hosts and relays that are forked for it."""

import asyncio
import json
import os
from pathlib import Path

from sidecar import __version__
from sidecar.host.attach import attaching
from tests.campaign.forker import ForkedProcess, Forker, Program
from tests.campaign.series import prepare
from tests.campaign.sharing.checks import is_starting_or_running
from tests.e2e.conftest import RUNNERS

_SETTINGS = {"asyncTasks": {"max": 6}, "host": {"idleSeconds": 20}}


class Home:
    """Everything of one root below `path`."""

    def __init__(self, forker: Forker, path: Path) -> None:
        self.forker = forker
        self.path = path
        self.root = path / "root"
        self.stderr = path.parent / f"{path.name}.stderr"
        self.environment = prepare(path)
        (path / "config" / "subagent-sidecar" / "config.toml").write_text(_toml())

    async def fork(self, program: Program) -> ForkedProcess:
        """Fork a program for the root; it waits for `go`."""
        return await self.forker.fork(self.root, self.environment, self.stderr, program)

    async def start_hosts(self, count: int) -> list[str]:
        """Start Hosts at the same time and return what each reports to its starter."""
        forked_processes = [await self.fork("host") for _ in range(count)]
        for forked in forked_processes:
            forked.go()
            os.close(forked.write)
        return await asyncio.gather(*(asyncio.to_thread(_read, forked.read) for forked in forked_processes))

    def stop(self) -> None:
        """Send what `host stop --cancel-running` sends, if a Host listens, and wait for the answer."""
        request = attaching.request_bytes("stop", __version__, {"cancel-running": "yes"})
        if (link := attaching.ask(str(self.root), request, (), 20)) is not None:
            link.line()
            link.close()

    async def end_strays(self) -> None:
        """Stop the Host that a relay started when the round's Host was dead, if there is one."""
        async with asyncio.timeout(30):
            while await asyncio.to_thread(is_starting_or_running, self.root):
                await asyncio.to_thread(self.stop)
                await asyncio.sleep(0.02)

    async def death(self, handle: int) -> None:
        """Wait until a process has ended."""
        loop, died = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(handle, died.set)
        try:
            await died.wait()
        finally:
            loop.remove_reader(handle)


def _read(descriptor: int) -> str:
    with os.fdopen(descriptor, "rb") as pipe:
        return pipe.read().decode()


def _toml() -> str:
    groups = {**_SETTINGS, **{f"runners.{name}": entry for name, entry in RUNNERS.items()}}
    return "\n".join(
        line
        for group, members in groups.items()
        for line in (f"[{group}]", *(f"{key} = {json.dumps(value)}" for key, value in members.items()))
    )
