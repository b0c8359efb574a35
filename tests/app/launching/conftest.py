"""A planner whose definition, runner and settings a test decides."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.errors import SubagentNotFound
from sidecar.api.runs.async_tasks import AsyncTask, Placement
from sidecar.api.settings import RunnerSettings
from sidecar.app.clients.context import Caller
from sidecar.app.definitions import Definitions
from sidecar.app.launching.planner import Planner
from sidecar.app.launching.workspace import Workspace
from sidecar.app.settings import SettingsStore
from sidecar.subagents.definitions import Definition
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.journal.journal import Journal
from sidecar.subagents.limits.budget import DaySpending
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.targets.target import Target


@dataclass
class OneDefinition:
    """Stands for the definitions of a workspace: only `scout`, which runs a command."""

    limits: dict[str, Any] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)
    """The placements and node labels of the launches."""
    times: list[float] = field(default_factory=list)
    """When they were asked for the latest launch, and until when that may ask its cluster."""

    async def target(
        self, name: str, workspace: Workspace, placement: str | None, node_labels: Mapping[str, str]
    ) -> Target:
        self.asked.append((placement, dict(node_labels)))
        self.times = [asyncio.get_running_loop().time()]
        if name != "scout":
            raise SubagentNotFound(f"no subagent is named {name!r}", subagentName=name, available=["scout"])
        definition = Definition(name="scout", description="", system_prompt="", **self.limits)
        runner = CommandRunner("cat", RunnerSettings(type="command", command=["cat"]))
        place = Placement(kind="ray", state="waiting") if placement == "ray" else None
        return Target(definition, runner, place=place, check_place=self._check_place if place else None)

    async def _check_place(self, directory: Path, until: float) -> None:
        self.times.append(until)


class Planning:
    """A planner and what it uses."""

    def __init__(self, journal: Journal, workspace: Path) -> None:
        self.changed: list[AsyncTask] = []
        self.journal = journal
        self.events = EventLog(journal, lambda: 5)
        self.registry = RunRegistry(journal, self.events, lambda: 5, self.changed.append)
        self.settings = SettingsStore()
        self.definitions = OneDefinition()
        self.spending = DaySpending(lambda: 5)
        self.workspace = Workspace((workspace,), trusted=True)
        self.planner = Planner(self.spending, self.registry, lambda: 5)

    @property
    def caller(self) -> Caller:
        """The client that launches."""
        return Caller(self.workspace, self.settings, cast(Definitions, self.definitions), "test", "client-1")


@pytest.fixture
async def planning(tmp_path: Path) -> AsyncIterator[Planning]:
    journal = await Journal.open(tmp_path / "sidecar.db")
    planning = Planning(journal, tmp_path)
    yield planning
    await planning.registry.aclose(1)
    await journal.aclose()
