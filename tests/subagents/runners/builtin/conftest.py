"""Fixtures of the built-in agent's tests: a workspace next to a secret, and a client that records updates."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from acp import schema

from sidecar.subagents.runners.builtin.tools.process_tree import adopt_orphans, descendants
from sidecar.subagents.runners.builtin.tools.workspace import Workspace
from sidecar.subagents.runners.process.parent_death import prctl


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace folder next to a secret file."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    return root


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


@dataclass
class Client:
    """Record updates, and answer every question with the option `chooses`."""

    chooses: str = "allow"
    reason: str | None = None
    updates: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)

    async def session_update(self, session_id: str, update: Any) -> None:
        self.updates.append(update.model_dump(mode="json", by_alias=True, exclude_none=True))

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption]
    ) -> schema.RequestPermissionResponse:
        self.questions.append(tool_call.model_dump(mode="json", by_alias=True, exclude_none=True))
        outcome = schema.AllowedOutcome(outcome="selected", option_id=self.chooses)
        return schema.RequestPermissionResponse(
            outcome=outcome, field_meta={"reason": self.reason} if self.reason else None
        )

    def statuses(self) -> list[str]:
        return [update["status"] for update in self.updates if "status" in update]


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def adopting() -> Iterator[None]:
    """Let this process adopt orphans during one test, as the agent does."""
    adopt_orphans()
    yield
    prctl()(36, 0)


@pytest.fixture
def programs() -> Iterator[None]:
    """Let the test start programs, and check that none is left at its end."""
    before = descendants()
    yield
    left = descendants() - before
    deadline = time.monotonic() + 2  # a process that was just killed may still be exiting
    while (alive := [pid for pid in left if lives(pid)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    commands = {pid: psutil.Process(pid).cmdline() for pid in alive}
    for pid in alive:
        psutil.Process(pid).kill()
    assert not commands


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
