"""A run, written as a stored task while it goes on."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

Outcome = Literal["completed", "failed", "cancelled"]


@dataclass(frozen=True, kw_only=True)
class TranscriptHead:
    """What is known when a run starts; `started_at` in ms since the epoch."""

    task_id: str
    goal: str
    subagent_name: str
    workspace_dir: str
    started_at: int
    parent_task_id: str | None = None
    root_task_id: str | None = None


class Transcript:
    """One run's folder under `<root>/tasks`, rewritten as the run goes on and ended by `finish`."""

    @classmethod
    async def start(cls, root: Path, head: TranscriptHead, now: Callable[[], int]) -> Self:
        """Make the folder with all its files; raises StorageError when that cannot be done."""
        raise NotImplementedError

    def record(self, event: dict[str, Any]) -> None:
        """Take in one event of the run (with its `ts`); the files follow soon. Never waits."""
        raise NotImplementedError

    async def finish(
        self, outcome: Outcome, *, final_message: str | None = None, error: str | None = None
    ) -> None:
        """Write the end and stop; the first end wins. Raises StorageError when the disk refuses it."""
        raise NotImplementedError

    @staticmethod
    async def recover(root: Path, task_id: str, outcome: Outcome, error: str | None, *, at: int) -> bool:
        """End a transcript that a crash left open; False if there is none or it has its end already."""
        raise NotImplementedError
