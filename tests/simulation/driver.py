"""Drives a simulation from a seed: `python -m tests.simulation --ends 10000 --seed x`."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path
from random import Random

from tests.simulation.clients import Editor, McpModel, Poller
from tests.simulation.clock import JumpingLoop
from tests.simulation.ledger import Broken
from tests.simulation.memory import check_memory
from tests.simulation.world import KINDS, MOST_CLIENTS, World

STEPS_BETWEEN_CHECKS = 50
MOST_ROUNDS = 200
"""How often the models ask at the end, before the simulation gives up."""


def simulate(seed: str, ends: int) -> Counter[str]:
    """Simulate until this many runs have ended; return what happened how often.

    Raises Broken, with a note that names the seed, if a promise does not hold.
    """
    memory = Path("/dev/shm")  # thousands of commits would wait for a disk
    parent = memory if memory.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=parent) as folder,
        asyncio.Runner(loop_factory=JumpingLoop) as runner,
    ):
        simulation = Simulation(Random(seed), Path(folder))
        try:
            return runner.run(simulation.run(ends))
        except Exception as error:
            error.add_note("\n".join([*simulation.trace, f"SIMULATION_SEED={seed}, {ends} ends"]))
            raise


class Simulation:
    """One simulation; every choice comes from `random`."""

    def __init__(self, random: Random, folder: Path) -> None:
        self._random = random
        self._world = World(folder, Random(random.random()))
        self._counts = self._world.ledger.counts
        self.trace = self._world.ledger.trace

    async def run(self, ends: int) -> Counter[str]:
        """Continue until this many runs have ended and every model got what it must."""
        world = self._world
        await world.start()
        await self._enter_everybody()
        steps = 0
        while world.ledger.ends < ends:
            steps += 1
            await self._step()
            if steps % STEPS_BETWEEN_CHECKS == 0:
                check_memory(world)
        await self._tell_everybody()
        check_memory(world)
        world.ledger.check_reported()
        await self._end()
        self._counts["ends"] = world.ledger.ends
        self._counts["reported"] = sum(fact.reported for fact in world.ledger.facts.values())
        self._counts["owed"] = sum(fact.owed for fact in world.ledger.facts.values())
        return self._counts

    async def _enter_everybody(self) -> None:
        """Let a client of each kind join, so that every seed has them all."""
        await self._world.launch(None, self._random)
        for kind in dict.fromkeys(KINDS):
            await self._world.join(self._random, kind)

    async def _step(self) -> None:
        """Let one to three things happen at the same time, and wait until the Host has settled."""
        random, world = self._random, self._world
        if random.random() < 0.004:
            await self._restart()
            return
        if random.random() < 0.06:
            self._counts["pauses"] += 1
            await world.pass_time(random.choice([0.3, 3.0, 30.0, 200.0]))
            return
        number = random.choice([1, 1, 1, 2, 3])
        alone = number == 1 and not any(client.flying for client in world.clients)
        await asyncio.gather(*(self._action(Random(random.random()), alone) for _ in range(number)))
        await world.settle()

    async def _action(self, random: Random, alone: bool) -> None:
        world, choice = self._world, random.random()
        clients = [client for client in world.clients if client.is_here]
        if choice < 0.3 and len(world.life.running) < 12:
            launching = [client for client in clients if not client.is_subagent]
            await world.launch(random.choice([*launching, None]), random)
        elif choice < 0.6:
            await world.end(random)
        elif choice < 0.63 and len(clients) < MOST_CLIENTS:
            self._counts["joins"] += 1
            await world.join(random)
        elif choice < 0.65 and clients:
            self._counts["deaths"] += 1
            client = random.choice(clients)
            await client.leave()
            world.clients.remove(client)
        elif clients:
            await random.choice(clients).act_alone(alone)

    async def _restart(self) -> None:
        """Close the Host, or kill it while things happen."""
        if self._random.random() < 0.3:
            self._counts["closes"] += 1
            await self._world.close()
            return
        self._counts["kills"] += 1
        doing = [asyncio.ensure_future(self._action(Random(self._random.random()), False)) for _ in range(3)]
        for _ in range(self._random.randrange(30)):
            await asyncio.sleep(0)
        await self._world.kill()
        await asyncio.gather(*doing, return_exceptions=True)  # their Host is gone

    async def _tell_everybody(self) -> None:
        """Let everything end and a model in each workspace ask until nothing waits."""
        world = self._world
        while world.life.running:
            await world.end(self._random)
        await world.settle()
        for client in list(world.clients):
            await client.leave()
        world.clients.clear()
        for kind in (Poller, Editor, McpModel):
            for place in world.places:
                await world.join(_Choosing(place), kind)
        for _ in range(MOST_ROUNDS):
            waiting: list[Awaitable[None]] = [client.act_alone(False) for client in world.clients]
            await asyncio.gather(*waiting)
            await world.pass_time(61)
            if not world.ledger.waiting(lambda place: True):
                return
        raise Broken(f"nobody gets {world.ledger.waiting(lambda place: True)}")

    async def _end(self) -> None:
        left = await self._world.life.host.journal.undelivered()
        if left:
            raise Broken(f"the journal keeps {len(left)} ends that were acknowledged")
        for client in self._world.clients:
            await client.leave()
        await self._world.life.host.aclose()


class _Choosing(Random):
    """Chooses a certain workspace, and anything else at random."""

    def __init__(self, place: Path) -> None:
        super().__init__(str(place.name))
        self._place = place

    def choice(self, options: object) -> object:  # type: ignore[override]
        """Return the workspace if it is an option."""
        assert isinstance(options, list)
        return self._place if self._place in options else super().choice(options)

    def random(self) -> float:
        """Return a number."""
        return max(super().random(), 0.1)
