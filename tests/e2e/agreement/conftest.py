"""A root of many tasks, and servers that follow it."""

import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from sidecar.rpc.client import RpcClient
from tests.e2e.agreement.lists import SIDECAR, Lists
from tests.e2e.agreement.place import OTHERS, TASKS, WATCHED, Place
from tests.e2e.conftest import REPO
from tests.generator.corpus import sized

OLD_SECONDS = 1_700_000_000


@pytest.fixture(scope="module")
def corpora() -> Iterator[Path]:
    """Two roots of tasks, of which all but the newest are old."""
    with tempfile.TemporaryDirectory() as folder:
        for name, count, seed in (("root", TASKS, 1), ("other", OTHERS, 2)):
            tasks = sized(Path(folder, name), count, 2_000, seed)
            for task in tasks[WATCHED:]:
                for file in task.folder.iterdir():
                    os.utime(file, (OLD_SECONDS, OLD_SECONDS))
        yield Path(folder)


@pytest.fixture
def place(corpora: Path) -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as folder:
        at = Place(Path(folder), corpora)
        yield at
        for path in (at.root, at.tasks, *(at.tasks / name for name in at.some)):
            if path.exists():
                path.chmod(0o755)


StartLists = Callable[[Place], Awaitable[Lists]]


@pytest.fixture
async def start_lists() -> AsyncIterator[StartLists]:
    clients: list[RpcClient] = []

    async def start(place: Place) -> Lists:
        env = {
            **os.environ,
            "HOME": str(place.home),
            "XDG_CONFIG_HOME": str(place.home / "config"),
            "XDG_DATA_HOME": str(place.home / "data"),
            "XDG_RUNTIME_DIR": str(place.home),
            "SIDECAR_CACHE_DIR": str(place.home / "cache"),
            "PYTHONPATH": str(REPO),
        }
        options = ("serve", "--in-process", "--storage-root", str(place.home / "own"))
        client = await RpcClient.spawn([*SIDECAR, *options], env=env, cwd=REPO, stderr="collect")
        clients.append(client)
        lists = Lists(client, place, env)
        params = {"protocolVersion": 1, "foreignRoots": [str(place.root)]}
        await client.request("initialize", params, timeout=60)
        await lists.start()
        return lists

    yield start
    for client in clients:
        await client.close()


@pytest.fixture
async def lists(place: Place, start_lists: StartLists) -> Lists:
    return await start_lists(place)
