import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sidecar.rpc.watchdog import ParentWatchdog, wait_until_gone

Process = subprocess.Popen[bytes]


@pytest.fixture
def process() -> Iterator[Process]:
    """A process that ends when its input does."""
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    yield child
    child.kill()
    child.communicate()


@pytest.fixture(params=["pidfd", "poll"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "poll":
        monkeypatch.delattr(os, "pidfd_open")


@pytest.mark.usefixtures("way")
async def test_the_end_of_the_process_is_noticed_even_while_it_is_a_zombie(process: Process) -> None:
    gone = asyncio.Event()
    watchdog = ParentWatchdog(process.pid, gone.set, poll_seconds=0.02)
    watchdog.start()
    await asyncio.sleep(0)
    assert not gone.is_set()
    process.kill()
    await asyncio.wait_for(gone.wait(), 5)
    await watchdog.close()


@pytest.mark.usefixtures("way")
async def test_a_process_that_is_gone_already_counts(process: Process) -> None:
    process.kill()
    process.wait(5)
    await asyncio.wait_for(wait_until_gone(process.pid, 0.02), 5)


@pytest.mark.usefixtures("way")
async def test_a_closed_watchdog_says_nothing(process: Process) -> None:
    called: list[bool] = []
    watchdog = ParentWatchdog(process.pid, lambda: called.append(True), poll_seconds=0.02)
    watchdog.start()
    await asyncio.sleep(0)
    await watchdog.close()
    process.kill()
    process.wait(5)
    await watchdog.close()
    assert called == []


@pytest.mark.parametrize("pid", [0, -1])
async def test_what_is_not_a_process_id_is_refused(pid: int) -> None:
    with pytest.raises(ValueError, match="not a process ID"):
        await wait_until_gone(pid)
    with pytest.raises(ValueError, match="not a process ID"):
        ParentWatchdog(pid, lambda: None)


async def test_an_id_no_system_gives_out_is_gone() -> None:
    await asyncio.wait_for(wait_until_gone(2**40), 5)
