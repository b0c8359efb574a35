"""A session of a real agent without a sidecar."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sidecar.subagents.runners.acp.agents.profiles import PROFILES, model_option
from sidecar.subagents.runners.acp.mode_control import SessionModes
from sidecar.subagents.runners.acp.permissions import Permissions
from sidecar.subagents.runners.acp.session import Session
from sidecar.subagents.runners.acp.setup.configuration import Configuration
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.wire import AgentWire
from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.process.child import ChildProcess
from sidecar.subagents.runners.process.marker import find
from tests.e2e.real.real_agents import MODELS, SECONDS, STOP_SECONDS

Json = dict[str, Any]


@contextlib.asynccontextmanager
async def opened(
    agent: str, env: dict[str, str], workspace: Path
) -> AsyncIterator[tuple[Session, Callable[[str], Awaitable[None]]]]:
    """Open a session of an agent; with it comes a wait until the agent has output."""
    task_id, shown, changed = str(uuid4()), list[str](), asyncio.Condition()

    async def take(event: Json) -> None:
        async with changed:
            shown.append(event["text"] if event["type"] == "message" else "")
            changed.notify_all()

    async def reported(text: str) -> None:
        async with asyncio.timeout(SECONDS), changed:
            await changed.wait_for(lambda: text in "".join(shown))

    profile = PROFILES[agent]
    flag = profile.model_flag
    command = [*profile.command, *([model_option(flag, str(MODELS[agent]))] if flag else [])]
    own_home = {"HOME": str(workspace.parent), **env}
    process = await ChildProcess.spawn(
        command, task_id=task_id, cwd=workspace, env=own_home, interactive=True
    )
    events = SessionEvents()
    wire = AgentWire(process, events, take, RunObserver(), FairScheduler())
    modes = SessionModes(profile.modes, RunObserver(), lambda error: pytest.fail(str(error)), must_ask=True)
    session = Session(wire, Permissions(events, RunObserver()), modes)
    try:
        await session.open(workspace, Configuration(None if flag else MODELS[agent]), "")
        yield session, reported
    finally:
        process.close_stdin()
        await session.aclose()
        await process.stop(STOP_SECONDS)
        process.close()
    assert find([task_id]) == []
