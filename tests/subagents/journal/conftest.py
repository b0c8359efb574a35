import itertools
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from sidecar.api.runs.async_tasks import AsyncStatus, AsyncTask, Progress
from sidecar.storage.layout import new_task_id
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.journal.records import RunRecord


class MakeRecord(Protocol):
    def __call__(
        self, status: AsyncStatus = "running", at: int | None = None, **members: Any
    ) -> RunRecord: ...


@pytest.fixture
def make_record() -> MakeRecord:
    clock = itertools.count(1_000)

    def make(status: AsyncStatus = "running", at: int | None = None, **members: Any) -> RunRecord:
        at = next(clock) if at is None else at
        ended = status in ("completed", "failed", "cancelled")
        task = AsyncTask(
            id=members.pop("id", new_task_id()),
            subagent_name="reviewer",
            goal_prompt=members.pop("goal", "Review it"),
            status=status,
            queued_at=at if status == "queued" else None,
            launched_at=None if status == "queued" else at,
            completed_at=at + 5 if ended else None,
            progress=Progress(last_activity_at=at),
            runner="shell",
            workspace_dir="/project",
        )
        return RunRecord(task=task, origin="client", request={"goalPrompt": "Review it"}, **members)

    return make


def turn_off_auto_vacuum(path: Path) -> None:
    """Create an empty journal whose free pages cannot be returned, as the first versions did."""
    with sqlite3.connect(path) as db:
        db.executescript(Path(__file__).with_name("versions").joinpath("1.sql").read_text())
        for table in ("runs", "events", "deliveries"):
            db.execute(f"DELETE FROM {table}")
    db.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sidecar.db"


@pytest.fixture
async def journal(path: Path) -> AsyncIterator[Journal]:
    journal = await Journal.open(path)
    yield journal
    await journal.aclose()
