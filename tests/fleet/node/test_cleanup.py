"""What no run uses any more is removed from a node, and nothing that one needs."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from sidecar.fleet.leftovers import cleanup, run_lock
from sidecar.fleet.leftovers.cleanup import BASE_SECONDS, CACHE_SECONDS, clean_up
from sidecar.fleet.leftovers.watcher import KEEP_SECONDS
from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.remote import workspace
from tests.fleet.node.test_workspace import git

BYTES = 200_000


class Node:
    """A node on which runs of one repository worked."""

    def __init__(self, folder: Path) -> None:
        self.fleet = folder / "fleet"
        self.repository = folder / "repository"
        self.repository.mkdir()
        git(self.repository, "init", "-q")
        self.runs = 0

    def run(self, data: bytes | None = None) -> NodeTree:
        """Let a run start from a new state of the repository."""
        self.runs += 1
        (self.repository / "data").write_bytes(os.urandom(BYTES) if data is None else data)
        tree = workspace.prepare(self.repository)
        folder = self.fleet / "runs" / f"run-{self.runs}"
        folder.mkdir(parents=True)
        node = NodeTree(self.fleet, folder, tree.repository, tree.prefix, tree.base)
        if sent := workspace.packed(tree, node.known()):
            node.write(0, sent)
        node.check_out(folder.name)
        return node

    def end(self, node: NodeTree) -> None:
        node.remove()
        node.release()

    @property
    def cache(self) -> Path:
        (cache,) = (self.fleet / "cache").iterdir()
        return cache

    def bases(self) -> set[str]:
        return set(git(self.cache, "for-each-ref", "--format=%(objectname)", "refs/bases").split())

    def size(self) -> int:
        return sum(each.stat().st_size for each in (self.cache / "objects").rglob("*") if each.is_file())

    def use_before(self, base: str, seconds: float) -> None:
        then = time.time() - seconds
        os.utime(self.cache / "uses" / base, (then, then))


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setenv("SIDECAR_FLEET_DIR", str(tmp_path / "fleet"))
    monkeypatch.setattr(cleanup, "sweep", lambda *_: None)
    return Node(tmp_path)


def aged(node: Node, name: str, seconds: float) -> Path:
    """Make the folder of a run that last changed before `seconds`."""
    folder = node.fleet / "runs" / name
    folder.mkdir(parents=True)
    age(folder, seconds)
    return folder


def age(folder: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(folder, (then, then))


def ended_runs(node: Node, count: int) -> list[str]:
    """Return the commits of runs that have ended, the oldest first."""
    bases: list[str] = []
    for _ in range(count):
        run = node.run()
        (new,) = node.bases() - set(bases)
        bases.append(new)
        node.end(run)
    return bases


def test_old_commits_and_their_objects_are_dropped(node: Node) -> None:
    old, new = ended_runs(node, 2)
    node.use_before(old, BASE_SECONDS + 60)
    removed = clean_up().removed
    assert removed == [f"{node.cache.name}: 1 commits"]
    assert node.bases() == {new} and node.size() < 2 * BYTES
    assert not (node.cache / "uses" / old).exists()


def test_a_run_works_with_what_is_left(node: Node) -> None:
    old, _ = ended_runs(node, 2)
    node.use_before(old, BASE_SECONDS + 60)
    clean_up()
    run = node.run(b"text\n")
    assert (run.path / "data").read_text() == "text\n"
    git(run.path, "fsck", "--connectivity-only")


def test_a_cache_that_a_run_needs_stays_as_it_is(node: Node) -> None:
    (old,) = ended_runs(node, 1)
    run = node.run()
    node.use_before(old, BASE_SECONDS + 60)
    assert clean_up().removed == [] and old in node.bases()
    node.end(run)
    assert clean_up().removed == [f"{node.cache.name}: 1 commits"]


def test_only_the_commits_that_were_used_last_are_kept(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MOST_BASES", 2)
    bases = ended_runs(node, 4)
    for age, base in enumerate(reversed(bases)):
        node.use_before(base, age * 10)
    clean_up()
    assert node.bases() == set(bases[2:])


def test_a_cache_that_is_too_large_shrinks(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MOST_BYTES", int(2.5 * BYTES))
    bases = ended_runs(node, 4)
    for age, base in enumerate(reversed(bases)):
        node.use_before(base, age * 10)
    clean_up()
    assert node.bases() == set(bases[2:]) and node.size() <= 2.5 * BYTES


def test_the_latest_commit_stays_even_if_it_is_too_large(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "MOST_BYTES", 1)
    bases = ended_runs(node, 2)
    node.use_before(bases[0], 10)
    clean_up()
    assert node.bases() == {bases[1]}


def test_an_unused_cache_is_removed(node: Node) -> None:
    ended_runs(node, 1)
    name, then = node.cache.name, time.time() - CACHE_SECONDS - 60
    os.utime(node.cache, (then, then))
    assert clean_up().removed == [name] and not list((node.fleet / "cache").iterdir())


def test_a_damaged_cache_is_named_and_prevents_nothing(node: Node) -> None:
    ended_runs(node, 1)
    (node.cache / "HEAD").write_text("nonsense")
    other = node.fleet / "runs" / "run-9"
    other.mkdir()
    then = time.time() - 1000
    os.utime(other, (then, then))
    done = clean_up()
    assert done.removed == ["run-9"] and done.problems[0].startswith(f"cache {node.cache.name}: git ")


def test_folders_of_ended_runs_are_removed_and_young_ones_stay(node: Node) -> None:
    aged(node, "alive", 1000), aged(node, "ended", 1000), aged(node, "young", 10)
    held = run_lock.hold(node.fleet / "runs" / "alive")
    age(node.fleet / "runs" / "alive", 1000)
    assert held is not None and clean_up().removed == ["ended"]
    assert {each.name for each in (node.fleet / "runs").iterdir()} == {"alive", "young"}
    os.close(held)
    assert clean_up().removed == ["alive"]


def test_changes_wait_a_day_for_their_sidecar(node: Node) -> None:
    for name, seconds in (("new", KEEP_SECONDS - 60), ("old", KEEP_SECONDS + 60)):
        (aged(node, name, seconds) / "changes.bundle").write_bytes(b"")
        age(node.fleet / "runs" / name, seconds)
    assert clean_up().removed == ["old"]


def test_git_is_not_disturbed_by_the_files_of_the_cache(node: Node) -> None:
    ended_runs(node, 1)
    done = subprocess.run(["git", "fsck"], cwd=node.cache, capture_output=True, text=True, check=True)
    assert "error" not in done.stderr
