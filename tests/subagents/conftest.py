"""A clock that tests turn, and a manager on it."""

from collections.abc import Callable

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo


class Clock:
    """Milliseconds that pass when a test says so."""

    def __init__(self, ms: int = 1_000_000) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def manager(clock: Clock) -> AsyncTaskManager:
    return AsyncTaskManager(5, now=clock)


@pytest.fixture
def start(manager: AsyncTaskManager) -> Callable[..., AsyncTaskInfo]:
    def start(id: str, abort: Callable[[], object] = lambda: None) -> AsyncTaskInfo:
        return manager.register_task(id=id, subagent_name="scout", goal_prompt=f"explore {id}", abort=abort)

    return start
