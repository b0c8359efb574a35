"""One client of a Host: when it may ask what, and what it is notified of."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.errors import InvalidParams, InvalidRequest, NotInitialized, NotTrusted
from sidecar.api.lifecycle import InitializeParams
from sidecar.api.runs.launches import LaunchParams
from sidecar.app.clients.hosting import PrivateHost
from sidecar.app.clients.session import Session
from sidecar.rpc.connection import Connection

SETTINGS: dict[str, Any] = {
    "runners": {"cat": {"type": "command", "command": ["cat"]}},
    "defaultRunner": "cat",
}


class Sent:
    """A connection that keeps what is sent; the client takes every turn."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, Any]] = []
        self.turns: list[list[str]] = []
        self.turn_taken = asyncio.Event()

    def notify(self, method: str, message: Any, coalesce: object = None) -> None:
        self.notified.append((method, message))

    async def notify_paced(self, method: str, message: Any) -> None:
        self.notified.append((method, message))

    async def request(self, method: str, params: Any, *, timeout: float) -> Any:
        self.turns.append(params.task_ids)
        self.turn_taken.set()
        return {"accepted": True}


@pytest.fixture
async def sent() -> Sent:
    return Sent()


@pytest.fixture
async def session(tmp_path: Path, sent: Sent, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Session]:
    agents = tmp_path / "config" / "subagent-sidecar" / "agents"
    agents.mkdir(parents=True)
    (agents / "scout.md").write_text("---\nname: scout\ndescription: x.\n---\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SIDECAR_CACHE_DIR", str(tmp_path / "cache"))
    session = Session(PrivateHost(), tmp_path / "root", SETTINGS, 0)
    session.connection = cast(Connection, sent)
    yield session
    await session.aclose()


async def opened(session: Session, **given: Any) -> Session:
    assert session.storage_root is not None
    folder = str(session.storage_root.parent)
    params = InitializeParams(protocol_version=1, workspace_folders=[folder], **given)
    await session.open(params, session.storage_root)
    return session


async def test_requests_wait_for_initialize_which_comes_once(session: Session) -> None:
    with pytest.raises(NotInitialized):
        session.admit("tasks/list", True)
    session.admit("exit", False)
    session.admit("initialize", True)
    await opened(session)
    session.admit("tasks/list", True)
    with pytest.raises(InvalidRequest, match="was already sent"):
        session.admit("initialize", True)


async def test_after_shutdown_only_exit_may_follow(session: Session) -> None:
    await opened(session)
    assert session.exit_code == 1
    await session.shut_down(cancel_running=False)
    with pytest.raises(InvalidRequest, match="has shut down"):
        session.admit("tasks/list", True)
    session.admit("exit", False)
    assert session.exit_code == 0


async def test_a_bad_initialize_may_be_sent_again(session: Session) -> None:
    with pytest.raises(InvalidParams, match="processId: 0"):
        await opened(session, process_id=0)
    await opened(session)


async def test_a_workspace_is_trusted_once_the_user_says_so(session: Session) -> None:
    await opened(session)
    with pytest.raises(NotTrusted):
        session.require_trust()
    session.grant_trust()
    session.require_trust()


async def test_a_busy_agent_gets_its_turn_when_it_becomes_idle(session: Session, sent: Sent) -> None:
    await opened(session, workspace_trusted=True)
    session.set_busy(True)
    params = LaunchParams(subagent_name="scout", goal_prompt="look", notify_model=True)
    record = await session.host.launcher.launch(params, session.caller)
    await session.host.registry.settled(record.task.id)
    assert sent.turns == []
    session.set_busy(False)
    async with asyncio.timeout(5):
        await sent.turn_taken.wait()
    assert sent.turns == [[record.task.id]]
    states = [message.task.status for method, message in sent.notified if method == "asyncTasks/didChange"]
    assert (states[0], states[-1]) == ("running", "completed")
