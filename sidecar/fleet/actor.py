"""The actor of one run. Ray makes one process of it on the node that it chooses."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from sidecar import __version__
from sidecar.fleet.leftovers import run_lock, watcher
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.fleet.leftovers.watcher import KEEP_SECONDS
from sidecar.fleet.node_run import NodeRun, fleet_folder
from sidecar.subagents.runners.remote.job import Job

logger = logging.getLogger(__name__)

START_SECONDS = 600.0
"""How long an actor waits for its workspace and the start of its agent."""
HOLD_SECONDS = 15.0
"""How long an actor waits for the leftovers of a dead actor of its run on the same node."""
UNSAVED_SECONDS = 60.0
"""How long an ended run whose changes cannot be saved holds its slots."""
UNCLAIMED_SECONDS = 600.0
"""How long an ended run whose result no sidecar fetches holds its slots."""
BATCH_LINES = 500
BATCH_BYTES = 1 << 20


def exit_process() -> None:
    """End the process of the actor. Ray's `exit_actor` works only in the call of a method."""
    os._exit(0)


class RunActor:
    """Serve one run: its lines from any number on, and the requests about it."""

    def __init__(self, task_id: str, repository: str, prefix: str, base: str) -> None:
        fleet = fleet_folder()
        fleet.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = fleet / "runs" / task_id
        self._held = run_lock.hold_new(folder, HOLD_SECONDS)  # until the end of this process
        # Start the watcher before anything adopts orphans here: it must not become a child of this process.
        self._watcher = watcher.start(LeftRun(folder, repository, prefix, base))
        self._run = NodeRun(task_id, fleet, repository, prefix, base)
        self._followed_at = 0.0
        # Start now, since the gateway may die before its first request.
        self._keeping = asyncio.get_running_loop().create_task(self._keep(), name="end of the actor")

    async def place(self) -> dict[str, Any]:
        """Return where the run is, and the commits that the node's cache holds."""
        known = await asyncio.to_thread(self._run.tree.known)
        return {**await self.find(), "known": known}

    async def find(self) -> dict[str, Any]:
        """Return where the run is, and its state."""
        import ray

        context = ray.get_runtime_context()
        return {
            "nodeId": context.get_node_id(),
            "pid": os.getpid(),
            "version": __version__,
            "tree": str(self._run.tree.path),
            **self._run.state(),
        }

    async def put(self, offset: int, data: bytes, attachment: int | None) -> None:
        """Take a piece of the bundle of the workspace, or of an attachment."""
        write = self._run.tree.write if attachment is None else self._run.attachments.writer(attachment)
        await asyncio.to_thread(write, offset, data)

    async def go(self, job: Any) -> None:
        """Start the agent, once."""
        self._run.start(msgspec.convert(job, Job))

    async def events(self, after: int, heartbeat: float) -> AsyncIterator[tuple[int, int, list[bytes]]]:
        """Yield batches: the number of the first line less one, the activity so far, and the lines.

        A batch without lines is a heartbeat. Ends after the last line of an ended run.
        """
        run = self._run
        while True:
            self._followed_at = asyncio.get_running_loop().time()
            lines = run.journal.read(after, BATCH_LINES, BATCH_BYTES)
            if lines:
                yield after, run.activity, lines
                after += len(lines)
            elif run.is_over:
                return
            else:
                run.changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(heartbeat):
                        await run.changed.wait()
                if not run.changed.is_set():
                    yield after, run.activity, []

    async def send(self, text: str, message: str) -> None:
        """Send a message to the agent; `message` is its ID."""
        self._run.send(text, message)

    async def answer(self, number: str, answer: Any) -> bool:
        """Answer a question."""
        return self._run.answer(number, answer)

    async def last_turn(self, missing: Sequence[str]) -> None:
        """Let the agent take its last turn."""
        await self._run.last_turn(missing)

    async def stop(self, limit: float) -> None:
        """Stop the agent."""
        await self._run.stop(limit)

    async def take(self, offset: int) -> dict[str, Any]:
        """Return a piece of the changes of an ended run."""
        return await self._run.take(offset)

    async def drop(self) -> None:
        """Stop the run and remove it from the node. The gateway then ends this process."""
        if not self._run.is_over:
            await self._run.stop()
        await asyncio.to_thread(self._run.discard)
        watcher.dismiss(self._watcher)

    async def _end_of_interest(self) -> None:
        """Wait for the end of the run. Stop it if no sidecar follows it, since it may never end by itself."""
        loop = asyncio.get_running_loop()
        self._followed_at = loop.time()
        while not self._run.is_over:
            left = self._followed_at + KEEP_SECONDS - loop.time()
            if left <= 0:
                await self._run.stop()
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._run.over.wait()

    async def _keep(self) -> None:
        """End the actor if no sidecar starts its run or fetches the result."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._run.started.wait()
        except TimeoutError:
            logger.warning("run %s was not started within %g s", self._run.task_id, START_SECONDS)
            await self.drop()
        else:
            await self._end_of_interest()
            await self._keep_result()  # then its watcher does
        exit_process()

    async def _keep_result(self) -> None:
        """Keep the result for a sidecar to fetch, until the watcher can do that, which needs no slot.

        The watcher also saves the changes that cannot be saved now, when the disk has room again. Only this
        process has lines that could not be written.
        """
        await asyncio.sleep(UNSAVED_SECONDS)
        if not self._run.is_unsaved:
            seconds = UNCLAIMED_SECONDS if self._run.journal.is_written else KEEP_SECONDS
            await asyncio.sleep(seconds - UNSAVED_SECONDS)
