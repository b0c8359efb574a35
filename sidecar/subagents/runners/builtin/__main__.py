"""Start the agent on the standard streams: `python -m sidecar.subagents.runners.builtin [--model NAME]`.

The rest comes from the environment, see `builtin_settings`.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
from typing import Any

import acp

from sidecar.subagents.runners.builtin.agent import BuiltinAgent, Converse
from sidecar.subagents.runners.builtin.conversation import Conversation
from sidecar.subagents.runners.builtin.model import build_model
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.process_tree import adopt_orphans, kill_descendants
from sidecar.subagents.runners.builtin.tools.workspace import Workspace
from sidecar.subagents.runners.builtin_settings import BuiltinSettings, SettingsFault, read_settings

WRONG_USE = 2


def main() -> int:
    """Serve until the input ends or SIGTERM comes; returns the exit status."""
    parser = argparse.ArgumentParser(prog="builtin agent")
    parser.add_argument("--model", help="the model's name; else SIDECAR_AGENT_MODEL")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    try:
        settings = read_settings(os.environ, arguments.model)
        converse = _converse(settings)
    except SettingsFault as fault:
        sys.stderr.write(f"{fault}\n")
        return WRONG_USE
    os.environ.pop(settings.key_variable)  # a command the model runs must not tell it to anybody
    adopt_orphans()
    try:
        asyncio.run(_serve(BuiltinAgent(converse, lambda text: text.replace(settings.key, "***"))))
    finally:
        kill_descendants()
    return 0


def _converse(settings: BuiltinSettings) -> Converse:
    model = build_model(settings)

    def converse(workspace: Workspace, reporter: Reporter) -> Conversation:
        return Conversation(model, workspace, reporter)

    return converse


async def _serve(agent: Any) -> None:
    served = asyncio.create_task(acp.run_agent(agent), name="agent")
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, served.cancel)
    await asyncio.wait({served})
    if not served.cancelled():
        served.result()


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # taking the libraries out of memory piece by piece takes the better part of a second
