"""Several sidecars on one cluster. Each plays rounds: launch, kill something, and check how the run ends."""

import asyncio
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fleet.conftest import Fleet
from tests.fleet.real.test_deaths import gateways, worker
from tests.fleet.real.test_runs import emitted, git, is_contiguous

PATIENCE = 25
"""`lostAfterSeconds`: a run whose node stays silent is lost then."""
NAMED_SECONDS = 30
"""How long after a kill a lost run is named at the latest, whatever was killed."""
LINES = 40
SCRIPT = (
    'echo "$SUBAGENT_SIDECAR_TASK" >> "{folder}/starts"; echo begun > begun.txt; for i in $(seq 40); do '
    'echo "{{\\"type\\": \\"emit\\", \\"name\\": \\"n\\", \\"value\\": $i}}"; sleep 0.03; '
    '[ $i -ne 35 ] || while [ ! -e "{folder}/$SUBAGENT_SIDECAR_TASK" ]; do sleep 0.1; done; done'
)
"""It does not end before something was killed, however slow the machine is."""
SURVIVED = ("gateway", "sidecar")


@dataclass(frozen=True)
class Round:
    """What is killed, and how many seconds after the first event of its run."""

    number: int
    victim: str
    delay: float


@dataclass
class Lane:
    """A sidecar that plays the rounds of its queues, the first queue first.

    In `folder`, each start of a run is noted in `starts`, and a file with its id lets it end.
    """

    fleet: Fleet
    folder: Path
    queues: Sequence[deque[Round]]
    ends: list[str] = field(default_factory=list)
    of_dead_nodes: list[tuple[str, str]] = field(default_factory=list)

    async def play(self) -> None:
        """Play until there are no more rounds. Clean the nodes that died at the end."""
        await self.fleet.open(lostAfterSeconds=PATIENCE)
        try:
            while queue := next((each for each in self.queues if each), None):
                await self._play(queue.popleft())
            for run, shown in self.of_dead_nodes:
                await self._left_nothing(run, shown)
        finally:
            await self.fleet.client.close()

    async def _play(self, played: Round) -> None:
        count = 2 if played.victim == "raylet" else 1  # a node dies with all its runs
        runs = await asyncio.gather(*(self._begun() for _ in range(count)))
        await asyncio.sleep(played.delay)
        killed_at = time.time()
        await self._kill(played.victim, runs[0])
        for run in runs:
            if played.victim in SURVIVED:
                (self.folder / run).touch()
            shown = await self._ended(run, played, killed_at)
            if played.victim == "raylet":
                self.of_dead_nodes.append((run, shown))
            else:
                await self._left_nothing(run, shown)
        if played.victim == "raylet":
            await asyncio.to_thread(lambda: self.fleet.cluster.command(start=self.fleet.labels["fleet.name"]))

    async def _begun(self) -> str:
        run = await self.fleet.launch("script", SCRIPT.format(folder=self.folder))
        await self.fleet.until_event(run, lambda event: event["type"] == "emit")
        return run

    async def _ended(self, run: str, played: Round, killed_at: float) -> str:
        """Wait for the end of a run and check it and its events; return what to show."""
        task, events = await self.fleet.ended(run), await self.fleet.events(run)
        seconds = task["completedAt"] / 1000 - killed_at
        shown = f"{played}: {task['status']} after {seconds:.1f} s {task.get('error')}"
        sys.stdout.write(f"{shown}\n")
        values = emitted(events)
        assert values == list(range(1, len(values) + 1)) and is_contiguous(events), shown
        if played.victim in SURVIVED:
            assert task["status"] == "completed" and len(values) == LINES, shown
        else:
            assert task["endReason"] == "lost" and 0 <= seconds <= NAMED_SECONDS, shown
        self.ends.append(task["endReason"])
        return shown

    async def _left_nothing(self, run: str, shown: str) -> None:
        """Wait until nothing of a run is left; then its changes are here, also from a node that died."""
        await self.fleet.nothing_left(run)
        assert git(self.fleet, "show", f"refs/sidecar/{run}:begun.txt") == "begun", shown

    async def _kill(self, victim: str, run: str) -> None:
        if victim == "gateway":
            for process in gateways(self.fleet.client.pid):
                process.kill()
        elif victim == "sidecar":
            os.kill(self.fleet.client.pid, signal.SIGKILL)
            await self.fleet.client.close()
            await self.fleet.open(lostAfterSeconds=PATIENCE)
        elif victim == "raylet":
            await asyncio.to_thread(lambda: self.fleet.cluster.command(kill=self.fleet.labels["fleet.name"]))
        else:
            os.kill(await asyncio.to_thread(worker, run), signal.SIGKILL)
