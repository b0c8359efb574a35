"""`serve`: answer one client on stdin and stdout until it disconnects."""

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from sidecar import __version__
from sidecar.api.errors import InvalidParams
from sidecar.app.clients.hosting import PrivateHost
from sidecar.app.clients.serving import connect
from sidecar.app.clients.session import Session
from sidecar.app.clock import elapsed_ms, history_clock_ms
from sidecar.app.logs import ClientLogHandler, log_to_stderr
from sidecar.app.settings import load_file
from sidecar.app.threads import leave_threads_behind
from sidecar.printable import printable
from sidecar.private_memory import close_memory
from sidecar.rpc.transport.stdio import PipeTransport
from sidecar.subagents.runners.process.subreaper import orphan_reaper

USAGE_ERROR = 2
SWITCH_SECONDS = 2e-3
"""How long a thread that reads tasks may block the event loop; Python's default is 5 ms."""
GARBAGE_THRESHOLDS = (20_000, 20, 20)
"""Collect garbage rarely, because events and rows are numerous but have no cycles."""


def main(arguments: Sequence[str]) -> int:
    """Serve one client and exit with its exit code; return only after a usage error."""
    options = _parse(arguments)
    close_memory()  # commands of agents must not find a key in this process
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    transport = PipeTransport.stdio()
    log_to_stderr(options.log_level)
    raw_settings = read_settings(options.config)
    if raw_settings is None:
        return USAGE_ERROR
    root = None if options.storage_root is None else options.storage_root.absolute()
    code = asyncio.run(_serve(Session(PrivateHost(), root, raw_settings, elapsed_ms()), transport))
    # A thread that hangs in a file system or on an unread stderr must not keep the process alive;
    # see `leave_threads_behind`.
    os._exit(code)


def read_settings(config: Path | None) -> dict[str, Any] | None:
    """Return the settings of the file. If it or the fixed clock is invalid, print why and return None."""
    try:
        history_clock_ms()
        return load_file(config)
    except InvalidParams as error:
        sys.stderr.write(printable(f"subagent-sidecar: {error.message}\n"))
        return None


async def _serve(session: Session, transport: PipeTransport) -> int:
    leave_threads_behind()
    connection = connect(session, transport)
    orphan_reaper.begin()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, connection.request_exit, 1)
    to_client = ClientLogHandler(loop, session.log)
    logging.getLogger().addHandler(to_client)
    try:
        code = await connection.serve()
        if connection.framing_error is not None:
            sys.stderr.write(printable(f"framing error: {connection.framing_error}\n"))
        return code
    finally:
        logging.getLogger().removeHandler(to_client)
        await session.aclose()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    return command_line().parse_args(arguments)


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the options of `serve`."""
    parser = _Parser(prog="subagent-sidecar serve", description="Serve JSON-RPC 2.0 on stdin and stdout.")
    parser.add_argument("--storage-root", type=Path, help="Use this folder as the sidecar's own root.")
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="Own the root in this process instead of attaching to its Host.",
    )
    parser.add_argument("--config", type=Path, help="Settings file (TOML).")
    parser.add_argument(
        "--log-level",
        choices=["debug", "info", "warning", "error"],
        default="warning",
        help="Minimum level of log messages on stderr and to the client.",
    )
    parser.add_argument("--version", action="version", version=f"subagent-sidecar {__version__}")
    return parser
