"""Serve the agent on the standard streams: `python -m sidecar.subagents.runners.builtin [--model=NAME]`.

The environment contains the other settings; see `builtin_settings`.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
from functools import partial
from typing import Any

from sidecar.private_memory import close_memory
from sidecar.subagents.runners.builtin import key_protection as key_handover
from sidecar.subagents.runners.builtin_settings import (
    BuiltinSettings,
    SettingsError,
    read_settings,
    required_model,
)

WRONG_USE = 2
_SETTINGS_FROM = "--settings-from"


def main() -> int:
    """Serve until the input ends or SIGTERM arrives; return the exit status."""
    parser = argparse.ArgumentParser(prog="builtin agent")
    parser.add_argument("--model", help="the model to use instead of SIDECAR_AGENT_MODEL")
    parser.add_argument(_SETTINGS_FROM, type=int, dest="pipe", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    try:
        settings = _settings(arguments)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    close_memory()
    return _run(settings)


def _settings(arguments: argparse.Namespace) -> BuiltinSettings:
    """Return the settings. Where exec exists, do not return, but start the program again with them."""
    if arguments.pipe is not None:
        return key_handover.received(arguments.pipe)
    settings = read_settings(os.environ, arguments.model)
    required_model(settings)
    environ = key_handover.without_keys(os.environ, settings)
    if sys.platform != "win32":  # Windows has no exec: the parent would lose track of the agent
        key_handover.start_again(settings, environ, _SETTINGS_FROM)
    for name in os.environ.keys() - environ.keys():
        del os.environ[name]
    return settings


def _run(settings: BuiltinSettings) -> int:
    # These imports take a second. The first start does not need them.
    from sidecar.subagents.runners.builtin.agent import BuiltinAgent
    from sidecar.subagents.runners.builtin.conversation import Conversation
    from sidecar.subagents.runners.builtin.model.provider import build_model
    from sidecar.subagents.runners.builtin.tools.process_tree import adopt_orphans, kill_descendants
    from sidecar.subagents.runners.builtin.workspace_description import describe_workspace

    model = build_model(settings)
    describe = partial(describe_workspace, is_trusted=settings.is_trusted)
    agent = BuiltinAgent(
        lambda workspace, reporter, servers: Conversation(
            model, workspace, reporter, describe, settings.context_window, servers
        ),
        lambda text: key_handover.redact(text, settings),
        required_model(settings),
    )
    adopt_orphans()
    try:
        asyncio.run(_serve(agent))
    finally:
        kill_descendants()
    return 0


async def _serve(agent: Any) -> None:
    import acp

    served = asyncio.create_task(acp.run_agent(agent), name="agent")
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, served.cancel)
    await asyncio.wait({served})
    await agent.aclose()
    if not served.cancelled():
        served.result()


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # skip the teardown of the libraries, which takes most of a second
