"""The first half of a round: clients act on a Host, and what the plan names dies."""

import asyncio
import os
import random
import signal
from collections.abc import Coroutine
from typing import Any

from sidecar.subagents.runners.process.marker import find
from tests.campaign.killing import Kill, Killer
from tests.campaign.notes import Notes
from tests.campaign.sharing import checks
from tests.campaign.sharing.attached_client import AttachedClient
from tests.campaign.sharing.home import Home
from tests.campaign.sharing.plan import ACTING_SECONDS, Plan

_AT_ONCE = Kill(0.0)


class Acting:
    """One Host and its clients, until the Host is dead. `clients` are to be closed and read afterwards."""

    def __init__(
        self,
        home: Home,
        plan: Plan,
        clients: list[AttachedClient],
        witness: AttachedClient,
        ledger: Notes,
        dice: random.Random,
    ) -> None:
        self.clients = [*clients, witness]
        self.ends_of_input: list[float] = []
        self._home = home
        self._plan = plan
        self._actors = clients
        self._witness = witness
        self._ledger = ledger
        self._dice = dice
        self._before = set(ledger.launched)
        self._killed_agents: set[str] = set()
        self._is_dead = False

    async def play(self) -> None:
        """Play until the Host is dead and its clients have noticed."""
        forked = await self._home.fork("host")
        handle = os.pidfd_open(forked.pid)
        watch = asyncio.create_task(self._watch(handle))
        async with Killer(forked.pid, self._plan.host or _AT_ONCE) as killer:
            forked.go()
            lives = [asyncio.create_task(self._live(attached)) for attached in self._actors]
            try:
                await self._happen(forked.pid, killer)
                await watch
            finally:
                self._is_dead = True
                watch.cancel()
                for attached in self._actors:
                    attached.close()
                await asyncio.gather(*lives)
                for descriptor in (handle, forked.read, forked.write):
                    os.close(descriptor)
        if not all(attached.settled.is_set() for attached in self._actors):
            await self._home.end_strays()

    async def _watch(self, handle: int) -> None:
        await self._home.death(handle)
        self._is_dead = True
        waiting = [
            attached for attached in self.clients if attached.settled.is_set() and not attached.is_lost
        ]
        self.ends_of_input += await asyncio.gather(*(attached.end_of_input() for attached in waiting))

    async def _happen(self, pid: int, killer: Killer) -> None:
        plan = self._plan
        happenings: list[Coroutine[Any, Any, None]] = []
        if plan.host is not None:
            happenings.append(killer.execute())
        else:
            happenings.append(asyncio.sleep(ACTING_SECONDS))
        if plan.client_at is not None:
            happenings.append(self._lose_client(plan.client_at))
        if plan.agent_at is not None:
            happenings.append(self._kill_agent(plan.agent_at))
        if plan.pause:
            happenings.append(self._pause(pid))
        await asyncio.gather(*happenings)
        if plan.host is None:
            await self._check_bystanders()
            await killer.execute()

    async def _live(self, attached: AttachedClient) -> None:
        home = self._home
        if self._dice.random() < 0.35:
            # A relay starts a Host itself, and this one is to be the first.
            while not self._is_dead and await asyncio.to_thread(checks.status, home.root) is None:
                await asyncio.sleep(0.01)
            if self._is_dead:
                return
            await attached.attach_by_relay(home.forker, home.root, home.environment, home.stderr)
        elif not await attached.attach(home.root, home.environment, lambda: self._is_dead):
            return
        await attached.live(lambda: self._is_dead)

    async def _lose_client(self, at: float) -> None:
        await asyncio.sleep(at)
        await self._actors[0].lose(self._plan.client_way)

    async def _kill_agent(self, at: float) -> None:
        await asyncio.sleep(at)
        fresh = [task_id for task_id in self._ledger.launched if task_id not in self._before]
        self._dice.shuffle(fresh)
        for task_id in fresh:
            if pids := await asyncio.to_thread(find, [task_id]):
                self._killed_agents.add(task_id)
                try:
                    os.kill(self._dice.choice(pids), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                return

    async def _pause(self, pid: int) -> None:
        await asyncio.sleep(self._plan.pause_at)
        os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(self._plan.pause)
        finally:
            os.kill(pid, signal.SIGCONT)

    async def _check_bystanders(self) -> None:
        """Let a further client check the runs, while those that were not killed are still attached."""
        for attached in self._actors:
            attached.rest()
        home, witness, notes = self._home, self._witness, self._witness.client.notes
        if not await witness.attach(home.root, home.environment, lambda: self._is_dead):
            notes.breaks("bystanders", "the Host has died")
            return
        await witness.enter()
        fresh = [task_id for task_id in self._ledger.launched if task_id not in self._before]
        await checks.check_bystanders(witness.client, notes, fresh, self._killed_agents)
        staying = [attached for attached in self._actors if not attached.is_lost]
        for attached in staying:
            await attached.settled.wait()
            if attached.client.link.closed.is_set():
                notes.breaks("bystanders", f"client {attached.client.notes.number} lost its Host")
        await checks.check_status(witness.client, notes, home.root, clients=len(staying) + 1)
