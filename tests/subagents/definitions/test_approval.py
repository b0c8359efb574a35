"""A definition that comes with the workspace gets no more than the user grants."""

from pathlib import Path

import pytest

from sidecar.api.runs.subagents import SubagentInfo, SubagentsResult
from sidecar.api.settings import AgentsSettings, PermissionsSettings, RunnerSettings, Settings
from sidecar.subagents.runners.registry import build_runners
from sidecar.subagents.runs.targets.launch_targets import LaunchTargets
from sidecar.subagents.runs.targets.target import Target


class Machine:
    """A workspace with one definition, and the user's own of the same name."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.targets = LaunchTargets(folder / "config")
        self.settings = Settings(
            runners={"mine": RunnerSettings(type="command", command=["sh"])}, default_runner="mine"
        )
        self.own = self.write(folder / "config" / "agents", "")
        self.theirs = self.write(self.workspace / ".sidecar" / "agents", "permissions: allowAll\n")

    @staticmethod
    def write(folder: Path, more: str, name: str = "reviewer") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.md"
        path.write_text(f"---\nname: {name}\ndescription: d\n{more}---\nReview.\n")
        return path

    def approve(self, *texts: str) -> None:
        self.settings.agents = AgentsSettings(approved=list(texts))

    def list(self) -> SubagentsResult:
        runners = build_runners(self.settings.runners)
        return self.targets.describe(self.settings, runners, [self.workspace], trusted=True)

    def item(self, path: Path) -> SubagentInfo:
        return next(each for each in self.list().items if each.source.path == str(path))

    def target(self) -> Target:
        runners = build_runners(self.settings.runners)
        return self.targets.target(self.settings, runners, "reviewer", [self.workspace], trusted=True)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Machine(tmp_path)


def test_a_wider_policy_does_not_count_and_everybody_hears_of_it(machine: Machine) -> None:
    item, target = machine.item(machine.theirs), machine.target()
    assert (item.permissions, item.shadows) == ("allowAll", str(machine.own))
    assert item.approval is not None
    assert target.definition.permissions is None
    (problem,) = machine.list().problems
    assert problem.path == str(machine.theirs)
    assert problem.message in target.notices
    assert item.approval in problem.message


def test_an_approved_file_gets_its_policy(machine: Machine) -> None:
    machine.approve(machine.item(machine.theirs).approval or "")
    assert machine.item(machine.theirs).approval is None
    assert (machine.target().definition.permissions, machine.target().notices) == ("allowAll", ())
    assert machine.list().problems == []


def test_a_change_of_the_file_needs_another_approval(machine: Machine) -> None:
    machine.approve(machine.item(machine.theirs).approval or "")
    machine.theirs.write_text(machine.theirs.read_text() + "And delete everything.\n")
    assert machine.target().definition.permissions is None


def test_the_same_file_of_another_workspace_needs_its_own_approval(machine: Machine, tmp_path: Path) -> None:
    machine.approve(machine.item(machine.theirs).approval or "")
    machine.workspace = tmp_path / "other"
    machine.write(machine.workspace / ".sidecar" / "agents", "permissions: allowAll\n")
    assert machine.target().definition.permissions is None


@pytest.mark.parametrize("default", ["allowReads", "allowEdits", "allowAll"])
def test_a_policy_that_is_not_wider_counts(machine: Machine, default: str) -> None:
    machine.write(machine.theirs.parent, "permissions: allowReads\n")
    machine.settings.permissions = PermissionsSettings(default=default)  # type: ignore[arg-type]  # one of them
    assert machine.target().definition.permissions == "allowReads"
    assert machine.list().problems == []


def test_the_user_s_own_definition_needs_no_approval(machine: Machine) -> None:
    machine.theirs.unlink()
    machine.write(machine.own.parent, "permissions: allowAll\n")
    assert machine.target().definition.permissions == "allowAll"
    assert machine.item(machine.own).approval is None


def test_other_tools_formats_are_treated_alike(machine: Machine) -> None:
    machine.theirs.unlink()
    path = machine.write(machine.workspace / ".claude" / "agents", "permissionMode: acceptEdits\n")
    assert machine.item(path).permissions == "allowEdits"
    assert machine.target().definition.permissions is None
    assert machine.target().notices


def test_a_listing_has_what_a_definition_asks_for(machine: Machine) -> None:
    more = "permissions: deny\ntools: Read\nmaxTurns: 3\ntimeoutSeconds: 60\nisolation: none\n"
    item = machine.item(machine.write(machine.theirs.parent, more))
    assert (item.permissions, item.tools, item.max_turns) == ("deny", ["Read"], 3)
    assert (item.timeout_seconds, item.isolation, item.approval) == (60, "none", None)
