"""The process that starts a Host may die before the Host listens."""

import asyncio
import os
import sys

from tests.e2e.host.conftest import HostSetting


async def test_a_host_whose_starter_died_serves_the_clients_that_wait(shared: HostSetting) -> None:
    shared.configure(host={"idleSeconds": 60})
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sidecar", "host", "run"),
        *("--storage-root", str(shared.root), "--ready-fd", str(writing)),
        env=shared.environment,
        close_fds=False,
    )
    os.close(reading)
    os.close(writing)
    assert await process.wait() == 0
    started = [process.pid for process in shared.processes()]
    await shared.attach()
    assert [shared.pid] == started
