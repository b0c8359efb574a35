"""Run a Host: open its root, listen, serve clients, and end when nobody needs it."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from sidecar.api.errors import InvalidParams, SidecarError
from sidecar.app.clock import elapsed_ms, history_clock_ms
from sidecar.app.host import Host
from sidecar.app.serve import GARBAGE_THRESHOLDS, SWITCH_SECONDS
from sidecar.app.settings import SettingsStore, load_file
from sidecar.app.threads import leave_threads_behind
from sidecar.host.attach.address import LOG, NoAddress
from sidecar.host.clients import Clients
from sidecar.host.heap import keep_heap_compact
from sidecar.host.in_use import in_use
from sidecar.host.listener import Listener
from sidecar.host.log_file import log_to_file
from sidecar.host.process import READY, fail
from sidecar.private_memory import close_memory
from sidecar.subagents.runners.process.subreaper import orphan_reaper

logger = logging.getLogger(__name__)


def run(root: str, config: str | None, ready: int) -> NoReturn:
    """Run the Host of a root and end the process; `ready` is where its starter waits for the outcome."""
    close_memory()  # commands of agents must not find a client's key in this process
    keep_heap_compact()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    os.chdir("/")
    log_to_file(Path(root) / LOG)
    with in_use(root):
        code = _run(root, config, ready)
    # A thread that hangs in a file system must not keep the process alive; see `leave_threads_behind`.
    os._exit(code)


def _run(root: str, config: str | None, ready: int) -> int:
    try:
        history_clock_ms()
        settings = SettingsStore(load_file(None if config is None else Path(config)))
        return asyncio.run(_serve(Path(root), settings, ready))
    except InvalidParams as error:
        return fail(ready, error.message)
    except (SidecarError, OSError, NoAddress) as error:
        logger.exception("the Host cannot run")
        return fail(ready, str(error))


async def _serve(root: Path, settings: SettingsStore, ready: int) -> int:
    leave_threads_behind()
    host = await Host.open(root, settings)
    orphan_reaper.begin()
    clients = Clients(host, elapsed_ms)

    def is_lost() -> bool:
        replaced = host.ownership.replaced
        if replaced is not None:
            clients.stop(f"{replaced} was removed or replaced")
        return replaced is not None

    def gives_way() -> bool:
        if not host.ownership.is_owner:
            clients.stop(f"another Host owns {root}")
        return not host.ownership.is_owner

    listener = Listener(root, clients.serve, is_lost, gives_way)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, clients.stop)
    try:
        listener.open()
        with contextlib.suppress(OSError):  # the starter has died, but others may wait
            os.write(ready, READY)
        os.close(ready)
        logger.info("pid %d is the Host of %s", os.getpid(), root)
        await clients.unneeded()
    finally:
        listener.stop()
        await clients.aclose()
        await host.aclose()
        with contextlib.suppress(OSError):
            await listener.aclose()
    return 0
