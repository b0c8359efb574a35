"""A series: one root, and round after round of a server that is killed and one that takes over."""

import asyncio
import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.rpc.errors import ConnectionClosed
from tests.campaign import checks
from tests.campaign.forker import REPO, Forker
from tests.campaign.killing import Kill, Killer, plan_kill
from tests.campaign.notes import Broken, Notes
from tests.campaign.scenario import Client
from tests.e2e.conftest import RUNNERS, define

_ACTING_SECONDS = 0.7
_RECOVERY_SECONDS = 0.2
_ROUND_SECONDS = 60.0
_EXIT_SECONDS = 3.5
"""A sidecar promises 3 s; the rest is for a busy machine."""


@dataclass
class Round:
    """What came of one round; `restart` is the time from a server's start to its first answer, in s."""

    name: str
    way: str
    recovery_killed: bool
    runs: int = 0
    restart: float = 0.0
    broken: list[Broken] = field(default_factory=list)


class Series:
    """Rounds on one root below `home`, chosen by `name` alone: the same name plays the same dice."""

    def __init__(self, forker: Forker, home: Path, name: str) -> None:
        self._forker = forker
        self._home = home
        self._name = name
        self._dice = random.Random(name)
        self._notes = Notes()
        self._root = home / "root"
        self._environment = prepare(home)
        self.length = self._dice.randint(1, 4)

    async def play(self, rounds: int) -> list[Round]:
        """Play this many rounds on the root."""
        return [await self._round(number) for number in range(rounds)]

    async def _round(self, number: int) -> Round:
        kill = plan_kill(self._dice, _ACTING_SECONDS)
        again = plan_kill(self._dice, _RECOVERY_SECONDS) if self._dice.random() < 0.25 else None
        result = Round(f"{self._name}:{number}", kill.way, again is not None)
        before = len(self._notes.launched)
        try:
            async with asyncio.timeout(_ROUND_SECONDS):
                await self._until_killed(kill, acting=True)
                if again is not None:
                    await self._until_killed(again, acting=False)
                result.restart = await self._verify()
        except TimeoutError as error:
            error.add_note(f"round {result.name} did not end")
            raise
        result.runs = len(self._notes.launched) - before
        result.broken, self._notes.broken = self._notes.broken, []
        return result

    async def _until_killed(self, kill: Kill, *, acting: bool) -> None:
        forked = await self._forker.fork(self._root, self._environment, self._home / "stderr")
        client = self._client()
        await client.link.open(forked.read, forked.write)
        async with Killer(forked.pid, kill) as killer:
            forked.go()
            doing = asyncio.create_task(_initialize_and_act(client, acting))
            await killer.execute()
            await client.link.closed.wait()
            await doing
        client.link.close()

    async def _verify(self) -> float:
        """Start a server that nobody kills, check everything, and end it; returns its time to start in s."""
        forked = await self._forker.fork(self._root, self._environment, self._home / "stderr")
        client, notes = self._client(), self._notes
        await client.link.open(forked.read, forked.write)
        handle = os.pidfd_open(forked.pid)
        began = time.monotonic()
        forked.go()
        await client.initialize()
        restart = time.monotonic() - began
        checks.check_processes(notes)
        await checks.check_runs(client, notes, self._root)
        if self._dice.random() < 0.7:
            await checks.check_reminders(client, notes)
        await checks.check_slots(client, notes)
        await self._exit(client, handle)
        checks.check_files(notes, self._root)
        return restart

    async def _exit(self, client: Client, handle: int) -> None:
        began = time.monotonic()
        await client.link.request("shutdown")
        client.link.notify("exit")
        await client.link.closed.wait()
        client.link.close()
        died = asyncio.Event()
        asyncio.get_running_loop().add_reader(handle, died.set)
        async with asyncio.timeout(20):
            await died.wait()
        asyncio.get_running_loop().remove_reader(handle)
        os.close(handle)
        if (took := time.monotonic() - began) > _EXIT_SECONDS:
            self._notes.breaks("exit", f"took {took:.1f} s")
        checks.check_processes(self._notes)

    def _client(self) -> Client:
        return Client(self._notes, self._home / "workspace", self._dice)


async def _initialize_and_act(client: Client, acting: bool) -> None:
    try:
        await client.initialize()
    except ConnectionClosed:
        return
    if acting:
        await client.act()


def prepare(home: Path) -> dict[str, str]:
    """Make a home with a definition for each runner; return the environment of its servers."""
    (home / "workspace").mkdir(parents=True)
    (home / "config" / "subagent-sidecar" / "agents").mkdir(parents=True)
    define(home, RUNNERS)
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "SIDECAR_CACHE_DIR": str(home / "cache"),
        "PYTHONPATH": str(REPO),
    }
