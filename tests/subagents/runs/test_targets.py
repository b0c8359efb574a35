"""Which runner a definition gets, and what happens to a model in another tool's words."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sidecar.api.errors import LaunchFailed
from sidecar.api.runs.async_tasks import Placement
from sidecar.api.settings import FleetSettings, RunnerSettings, Settings
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.registry import build_runners
from sidecar.subagents.runners.remote.runner import RemoteRunner
from sidecar.subagents.runs.targets.launch_targets import LaunchTargets

HERE = RunnerSettings(type="command", command=["sh"])
GONE = RunnerSettings(type="command", command=["no-such-program"])


@pytest.fixture(autouse=True)
def _bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent on the PATH, and a home without definitions."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    own, claude = tmp_path / ".sidecar" / "agents", tmp_path / ".claude" / "agents"
    for folder, name in ((own, "own"), (claude, "theirs")):
        folder.mkdir(parents=True)
        (folder / f"{name}.md").write_text(f"---\nname: {name}\ndescription: d\nmodel: sonnet\n---\n")
    return tmp_path


def planned(workspace: Path, runners: Mapping[str, RunnerSettings], default: str | None) -> tuple[str, ...]:
    """Return the runner and the model of a launch of the definition in Claude Code's format."""
    settings = Settings(runners=dict(runners), default_runner=default)
    built: Mapping[str, Runner] = build_runners(settings.runners)
    plan = LaunchTargets(workspace).target(settings, built, "theirs", [workspace], trusted=True)
    return plan.runner.name, str(plan.definition.model)


def test_the_default_runner_comes_first(workspace: Path) -> None:
    assert planned(workspace, {"claude": HERE, "mine": HERE}, "mine") == ("mine", "None")


def test_without_a_default_a_definition_goes_to_the_agent_of_its_own_tool(workspace: Path) -> None:
    assert planned(workspace, {"mine": HERE, "claude": HERE}, None) == ("claude", "sonnet")


def test_an_agent_that_is_not_installed_is_not_a_choice(workspace: Path) -> None:
    with pytest.raises(LaunchFailed, match=r"runners found: mine$"):
        planned(workspace, {"mine": HERE, "claude": GONE}, None)


def test_auto_takes_the_first_runner_found_and_its_own_model(workspace: Path) -> None:
    assert planned(workspace, {"gone": GONE, "mine": HERE}, "auto") == ("mine", "None")


def test_our_own_format_says_what_model_it_likes(workspace: Path) -> None:
    settings = Settings(runners={"mine": HERE}, default_runner="mine")
    runners = build_runners(settings.runners)
    plan = LaunchTargets(workspace).target(settings, runners, "own", [workspace], trusted=True)
    assert plan.definition.model == "sonnet"


@pytest.mark.parametrize(
    ("default", "runner", "problems"),
    [
        ("mine", "mine", ["model 'sonnet' belongs to claude; runner 'mine' uses its default model"]),
        ("claude", "claude", []),
        ("auto", "auto", ["model 'sonnet' belongs to claude; runner 'mine' uses its default model"]),
        (None, "claude", []),
    ],
)
def test_a_listing_says_which_runner_and_whose_model(
    workspace: Path, default: str | None, runner: str, problems: list[str]
) -> None:
    settings = Settings(runners={"mine": HERE, "claude": HERE}, default_runner=default)
    runners = build_runners(settings.runners)
    found = LaunchTargets(workspace).describe(settings, runners, [workspace], trusted=True)
    theirs = next(item for item in found.items if item.name == "theirs")
    assert (theirs.runner, theirs.model, theirs.source.format) == (runner, "sonnet", "claude")
    assert [problem.message for problem in found.problems] == problems
    assert all(problem.line == 4 for problem in found.problems)


def test_without_a_runner_a_listing_leaves_it_open(workspace: Path) -> None:
    found = LaunchTargets(workspace).describe(Settings(), build_runners({}), [workspace], trusted=True)
    assert [item.runner for item in found.items] == ["", ""]
    assert all("names a runner" in (item.unavailable or "") for item in found.items)


@pytest.mark.parametrize(
    ("default", "reason"),
    [
        ("mine", None),
        ("auto", None),
        ("gone", "program 'no-such-program' is not found or not executable"),
        ("codex", "install it, or set runners.codex.command"),
        ("nosuch", "'nosuch' is not a runner; runners found: mine. If it is new"),
    ],
)
def test_a_listing_says_why_a_definition_cannot_be_launched_now(
    workspace: Path, default: str, reason: str | None
) -> None:
    settings = Settings(runners={"gone": GONE, "mine": HERE}, default_runner=default)
    runners = build_runners(settings.runners)
    found = LaunchTargets(workspace).describe(settings, runners, [workspace], trusted=True)
    for item in found.items:
        assert (item.unavailable is None) == (reason is None)
        assert (reason or "") in (item.unavailable or "")


def test_a_target_trusts_what_is_in_the_folders_that_the_user_trusts(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (workspace / "out").symlink_to(elsewhere)
    settings = Settings(runners={"mine": HERE}, default_runner="mine")
    runners = build_runners(settings.runners)
    plan = LaunchTargets(workspace).target(settings, runners, "own", [workspace], trusted=True)
    assert plan.trusts(workspace) and plan.trusts(workspace / ".sidecar")
    assert not plan.trusts(elsewhere) and not plan.trusts(workspace / "out")
    assert not plan.trusts(workspace.with_name(f"{workspace.name}-other"))


def test_a_target_tells_a_file_of_the_workspace_from_the_users_own(workspace: Path) -> None:
    runners = build_runners({"mine": HERE})
    targets = LaunchTargets(workspace / "config")
    own, brought = (workspace / each / "agents" / "own.md" for each in ("config", ".sidecar"))
    own.parent.mkdir(parents=True)

    def brought_by(folders: list[Path]) -> str | None:
        settings = Settings(default_runner="mine")
        return targets.target(settings, runners, "own", folders, trusted=True).brought_by

    own.write_text(brought.read_text())
    first = brought_by([workspace])
    brought.write_text(brought.read_text() + "Do something else.\n")
    second = brought_by([workspace])
    assert first is not None and second is not None and first != second
    assert brought_by([]) is None


def test_a_listing_says_where_runs_work(workspace: Path) -> None:
    (workspace / ".sidecar" / "agents" / "here.md").write_text(
        "---\nname: here\ndescription: d\nplacement: local\n---\n"
    )
    remote = RunnerSettings(type="command", command=["no-such-program"], placement="ray")
    settings = Settings(runners={"mine": HERE, "far": remote}, default_runner="far")
    runners = build_runners(settings.runners)
    targets = LaunchTargets(workspace)
    found = targets.describe(settings, runners, [workspace], trusted=True)
    assert {item.name: item.placement for item in found.items} == {
        "here": "local",
        "own": "ray",
        "theirs": "ray",
    }
    # What runs on the cluster need not be installed here.
    assert {item.name: item.unavailable is None for item in found.items} == {
        "here": False,
        "own": True,
        "theirs": True,
    }
    settings.default_runner = "mine"
    found = targets.describe(settings, runners, [workspace], trusted=True)
    assert next(item for item in found.items if item.name == "own").placement is None


async def test_labels_of_a_launch_come_before_those_of_the_settings(workspace: Path) -> None:
    links = FleetLinks()
    fleet = FleetSettings(gateway=["gateway"], labels={"region": "here", "gpu": "no"})
    settings = Settings(runners={"mine": HERE}, default_runner="mine", fleet=fleet)
    runners = build_runners(settings.runners)

    def place(node_labels: dict[str, str]) -> Placement | None:
        target = LaunchTargets(workspace).target(
            *(settings, runners, "own", [workspace]),
            trusted=True,
            placement="ray",
            node_labels=node_labels,
            links=links,
        )
        assert isinstance(target.runner, RemoteRunner)
        assert target.place is not None
        assert target.runner._requirements().labels == (target.place.labels or {})
        return target.place

    assert place({}) == Placement(kind="ray", state="waiting", labels={"region": "here", "gpu": "no"})
    labels = {"region": "here", "gpu": "yes"}
    assert place({"gpu": "yes"}) == Placement(kind="ray", state="waiting", labels=labels)
    fleet.labels, fleet.slots_per_run = {}, 2
    assert place({}) == Placement(kind="ray", state="waiting", slots=2)
