"""A series: one root, and round after round of a Host with two clients, some of which die."""

import asyncio
import contextlib
import os
import random
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.host.attach import attaching
from tests.campaign import checks
from tests.campaign.forker import Forker
from tests.campaign.killing import Kill, Killer, plan_kill
from tests.campaign.notes import Broken, Notes
from tests.campaign.sharing import checks as sharing_checks
from tests.campaign.sharing.acting import Acting
from tests.campaign.sharing.attached_client import AttachedClient
from tests.campaign.sharing.claims import Claims, ClientNotes, absorb
from tests.campaign.sharing.client import SharingClient
from tests.campaign.sharing.home import Home
from tests.campaign.sharing.plan import Plan, plan_round

_RECOVERY_SECONDS = 0.3
_ROUND_SECONDS = 60.0
_EXIT_SECONDS = 3.5
_IDLE_SECONDS = 0.05


@dataclass
class Round:
    """What came of one round; times in s.

    `restart` is from the start of the Host that takes over to its answer, None if a relay started it with all
    its modules to load. `ends_of_input` is how long after a
    Host's death each client saw it.
    """

    name: str
    way: str
    recovery_killed: bool
    raced: bool
    runs: int = 0
    restart: float | None = None
    ends_of_input: list[float] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)


class HostSeries:
    """Rounds on one root below `home`, chosen by `name` alone: the same name plays the same dice."""

    def __init__(self, forker: Forker, home: Path, name: str) -> None:
        self._name = name
        self._dice = random.Random(f"host {name}")
        self._home = Home(forker, home)
        self._ledger = Notes()
        self._number = 0
        self.length = self._dice.randint(1, 4)

    async def play(self, rounds: int) -> list[Round]:
        """Play this many rounds on the root."""
        return [await self._round(number) for number in range(rounds)]

    async def _round(self, number: int) -> Round:
        plan = plan_round(self._dice)
        again = plan_kill(self._dice, _RECOVERY_SECONDS) if self._dice.random() < 0.2 else None
        start = self._dice.choices(["forker", "race", "relay"], [5, 2, 1])[0]
        result = Round(f"{self._name}:{number}", plan.way, again is not None, start == "race")
        before = len(self._ledger.launched)
        try:
            async with asyncio.timeout(_ROUND_SECONDS):
                await self._act(plan, result)
                if again is not None:
                    await self._kill_in_recovery(again)
                await self._verify(start, result)
        except Exception as error:
            error.add_note(f"round {result.name} ({plan}, started by {start})")
            raise
        result.runs = len(self._ledger.launched) - before
        result.broken, self._ledger.broken = self._ledger.broken, []
        return result

    async def _act(self, plan: Plan, result: Round) -> None:
        claims = Claims()
        clients = [self._attached(claims) for _ in range(2)]
        acting = Acting(self._home, plan, clients, self._attached(claims), self._ledger, self._dice)
        try:
            await acting.play()
        finally:
            for attached in acting.clients:
                attached.close()
        result.ends_of_input += acting.ends_of_input
        for attached in acting.clients:
            absorb(self._ledger, attached.client.notes)
        await self._kill_successor()

    async def _kill_successor(self) -> None:
        """Kill the Host that a relay may have started when the one of the round died."""
        root = self._home.root
        while await asyncio.to_thread(attaching.is_locked, str(root)):
            found = await asyncio.to_thread(sharing_checks.status, root)
            if found is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(found["pid"], signal.SIGKILL)
            await asyncio.sleep(0.02)

    async def _kill_in_recovery(self, kill: Kill) -> None:
        forked = await self._home.fork("host")
        os.close(forked.read)
        os.close(forked.write)
        async with Killer(forked.pid, kill) as killer:
            forked.go()
            await killer.execute()

    async def _verify(self, start: str, result: Round) -> None:
        """Start a Host that nobody kills, check everything, and end it."""
        attached, ledger, root = self._attached(Claims()), self._ledger, self._home.root
        client = attached.client
        began = time.monotonic()
        if start == "relay":
            await attached.attach_by_relay(self._home.forker, root, self._home.environment, self._home.stderr)
        else:
            answers = await self._home.start_hosts(2 if start == "race" else 1)
            if "ready" not in answers:
                raise RuntimeError(f"no Host can be started: {answers}")
            if answers.count("busy") != len(answers) - 1:
                ledger.breaks("one Host", f"simultaneous starts reported {answers}")
            await attached.attach(root, self._home.environment, lambda: False)
        await attached.enter()
        if start != "relay":  # whose Host loads its modules first
            result.restart = time.monotonic() - began
        checks.check_processes(ledger)
        await asyncio.to_thread(sharing_checks.check_one_host, ledger, root)
        await checks.check_runs(client, ledger, root)
        if self._dice.random() < 0.7:
            await checks.check_reminders(client, _with_ends(ledger, client.notes))
        await checks.check_slots(client, client.notes)
        await sharing_checks.check_status(client, ledger, root, clients=1)
        await self._end(attached)
        absorb(ledger, client.notes)
        checks.check_files(ledger, root)
        await asyncio.to_thread(sharing_checks.check_nothing_left, ledger, self._home.path, root)

    async def _end(self, attached: AttachedClient) -> None:
        """End the Host, by a request or because it is idle."""
        found = await asyncio.to_thread(sharing_checks.status, self._home.root)
        assert found is not None, "its client is attached"
        handle = os.pidfd_open(found["pid"])
        link = attached.client.link
        if self._dice.random() < 0.5:
            await asyncio.to_thread(self._home.stop)
            began = time.monotonic()
        else:
            await link.request("settings/update", settings={"host": {"idleSeconds": _IDLE_SECONDS}})
            began = time.monotonic()
            await link.request("shutdown")
            link.notify("exit")
        await link.closed.wait()
        attached.close()
        async with asyncio.timeout(20):
            await self._home.death(handle)
        os.close(handle)
        if (took := time.monotonic() - began) > _EXIT_SECONDS:
            self._ledger.breaks("exit", f"took {took:.1f} s")

    def _attached(self, claims: Claims) -> AttachedClient:
        self._number += 1
        notes = ClientNotes.of(self._ledger, claims, self._number)
        return AttachedClient(SharingClient(notes, self._home.path / "workspace", self._dice))


def _with_ends(ledger: Notes, notes: Notes) -> Notes:
    """Return the client's notes with every end that the root's clients received."""
    absorb(ledger, notes)
    return ledger
