"""The lists of a server that follows a root, of a command, and of one without any cache."""

import asyncio
import json
import os
import subprocess
import sys
import time
from typing import Any

from sidecar.rpc.client import RpcClient
from tests.e2e.agreement.place import Expected, Place
from tests.e2e.conftest import REPO, Json

PATIENCE_SECONDS = 30.0
"""How long the lists may disagree: three times the promise, since other tests run at the same time."""
UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.getuid() == 0 else ()
"""Root reads everything, unless it gives that up."""
SIDECAR = (*UNPRIVILEGED, sys.executable, "-m", "sidecar")

Tasks = dict[str, Json]


class Lists:
    """A server that follows the root, and other readers of the same root."""

    def __init__(self, client: RpcClient, place: Place, env: dict[str, str]) -> None:
        self.client = client
        self.place = place
        self.known: set[str] = set()
        """The ids that a client knows from one list and all notifications since."""
        self._env = env
        self._changed = asyncio.Event()
        client.on_notification("tasks/didChange", self._take)

    async def live(self) -> list[Json]:
        answer = await self.client.request("tasks/list", {"limit": 20_000}, timeout=60)
        items: list[Json] = answer["items"]
        return items

    async def by_command(self, cache: str) -> list[Json]:
        """List in a process of its own."""
        command = (*SIDECAR, "list", "--json", "--root", str(self.place.root))
        env = {**self._env, "SIDECAR_CACHE_DIR": str(self.place.home / cache)}
        done = await asyncio.to_thread(subprocess.run, command, env=env, cwd=REPO, capture_output=True)
        if any(words in done.stderr for words in (b"does not exist", b"is not readable")):
            return []
        assert done.returncode == 0 or b"cannot be listed" in done.stderr, done.stderr.decode()
        items: list[Json] = json.loads(done.stdout)["items"]
        return items

    async def fresh(self) -> list[Json]:
        """List without any cache."""
        return await self.by_command(f"no-cache-{time.monotonic_ns()}")

    async def start(self) -> None:
        self.known = ids_of(await self.live())
        async with asyncio.timeout(60):
            while (await self.health())["mode"] != "watch":
                await asyncio.sleep(0.02)  # nothing reports it

    async def health(self) -> Json:
        watcher: Json = (await self.client.request("health", {}))["watcher"]
        return watcher

    async def until_agreed(self, seconds: float = PATIENCE_SECONDS) -> tuple[float, Tasks]:
        """Wait until the live list is the fresh one and all ids are announced; return when, and the tasks."""
        began = time.monotonic()
        fresh = asyncio.create_task(self.fresh())
        seen: list[tuple[float, list[Json]]] = []
        while True:
            self._changed.clear()
            asked = time.monotonic() - began
            seen.append((asked, await self.live()))
            if fresh.done() and seen[-1][1] == fresh.result() and self.known == ids_of(fresh.result()):
                break
            if fresh.done() and asked > seconds:
                raise AssertionError(self._difference(seen[-1][1], fresh.result()))
            waiting = [asyncio.create_task(self._changed.wait()), *([] if fresh.done() else [fresh])]
            left = max(0.05, seconds - asked)
            await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        right = fresh.result()
        assert await self.by_command("cache") == right
        return next(at for at, items in seen if items == right), {task["id"]: task for task in right}

    async def until(self, code: str, names: list[str]) -> None:
        """Wait until the live list tells this problem of all these tasks."""
        while True:
            self._changed.clear()
            codes = {task["id"]: {each["code"] for each in task["problems"]} for task in await self.live()}
            if all(code in codes[name] for name in names):
                return
            await self._changed.wait()

    def _difference(self, live: list[Json], fresh: list[Json]) -> str:
        ours, right = ({task["id"]: task for task in items} for items in (live, fresh))
        wrong = [(ours.get(name), right.get(name)) for name in ours.keys() | right.keys()]
        wrong = [(one, other) for one, other in wrong if one != other]
        unknown = len(self.known ^ right.keys())
        return f"{len(wrong)} of {len(right)} tasks are listed wrongly, {unknown} not announced: {wrong[:2]}"

    def _take(self, params: Any) -> None:
        self.known = (self.known | {*params["added"]}) - {*params["removed"]}
        self._changed.set()


def ids_of(items: list[Json]) -> set[str]:
    return {task["id"] for task in items}


def check(tasks: Tasks, expected: Expected) -> None:
    ids, values = expected
    assert tasks.keys() == ids
    for name, wanted in values.items():
        found = {**tasks[name], "codes": {problem["code"] for problem in tasks[name]["problems"]}}
        assert {key: found[key] for key in wanted} == wanted
