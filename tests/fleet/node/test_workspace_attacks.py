"""What makes a workspace hard to carry: submodules, many runs at once, wrong clocks, large repositories."""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.git import GitError
from sidecar.subagents.runners.remote.job import Tree
from sidecar.subagents.runners.remote.refs import run_refs
from tests.fleet.node.test_workspace import RUN, git, repository, sent

__all__ = ["repository"]

HOUR = 3600
DAY = 24 * HOUR


def first_run(tree: Tree, fleet: Path, number: int) -> str:
    """Do what the first runs of a repository do on their node, in a process of its own."""
    run = f"{number:08}"
    folder = fleet / "runs" / run
    folder.mkdir(parents=True)
    node = NodeTree(fleet, folder, tree.repository, tree.prefix, tree.base)
    if data := workspace.packed(tree, node.known()):
        node.write(0, data)
    node.check_out(run)
    (node.path / "new.txt").write_text(run)
    commit, packed = node.save(run)
    workspace.bring_back(tree, run, commit, packed)
    return run


def test_many_first_runs_of_a_repository_share_a_node(repository: Path, tmp_path: Path) -> None:
    tree = workspace.prepare(repository)
    with ProcessPoolExecutor(4) as pool:
        runs = list(pool.map(first_run, [tree] * 8, [tmp_path / "fleet"] * 8, range(8)))
    for run in runs:
        assert git(repository, "show", f"refs/sidecar/{run}:new.txt") == run


def test_a_repository_in_the_workspace_without_commits_is_refused_with_the_remedy(repository: Path) -> None:
    (repository / "inner").mkdir()
    git(repository / "inner", "init", "-q")
    with pytest.raises(
        RunnerUnavailable, match=r"(?s)inner.*commit something there, or name it in \.gitignore"
    ):
        workspace.prepare(repository)


def test_a_repository_with_other_names_of_objects_is_refused_with_the_remedy(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    with pytest.raises(RunnerUnavailable, match=r"SHA-256.*placement: local"):
        workspace.check(tmp_path)


def test_a_damaged_cache_is_made_again(repository: Path, tmp_path: Path) -> None:
    sent(repository, tmp_path / "fleet", "first")[1].release()
    [cache] = (tmp_path / "fleet" / "cache").iterdir()
    for pack in (cache / "objects" / "pack").iterdir():
        pack.unlink()
    _, node, data = sent(repository, tmp_path / "fleet", "second")
    assert data and (node.path / "src" / "a.txt").read_text() == "one, changed\n"


def test_a_damaged_cache_that_another_run_uses_is_named_with_the_remedy(
    repository: Path, tmp_path: Path
) -> None:
    _, node, _ = sent(repository, tmp_path / "fleet", "first")
    [cache] = (tmp_path / "fleet" / "cache").iterdir()
    for pack in (cache / "objects" / "pack").iterdir():
        pack.unlink()
    with pytest.raises(GitError, match=r"damaged .* launch again when they have ended"):
        sent(repository, tmp_path / "fleet", "second")
    assert node.is_whole


def test_files_in_a_submodule_are_named(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "x").write_text("x")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "x")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "modules/ä")
    tree, node, _ = sent(repository, tmp_path / "fleet")
    assert node.submodules() == ["modules/ä"] and not list((node.path / "modules" / "ä").iterdir())
    (node.path / "b.txt").write_text("b")
    commit, packed = node.save(RUN)
    assert workspace.bring_back(tree, RUN, commit, packed).files == 1
    assert "160000" in git(repository, "ls-tree", f"refs/sidecar/{RUN}", "modules/ä")


def test_a_clock_that_is_an_hour_off_changes_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for hours in (-1, 1):
        run = f"run{hours}"
        tree, node, _ = sent(repository, tmp_path / f"fleet{hours}", run)
        changed = node.path / "src" / "a.txt"
        changed.write_text("two, changed\n")  # of the same size
        at = changed.stat().st_mtime + hours * HOUR
        os.utime(changed, (at, at))
        with monkeypatch.context() as clock:
            clock.setenv("GIT_COMMITTER_DATE", f"@{int(at)} +0000")
            commit, packed = node.save(run)
        assert workspace.bring_back(tree, run, commit, packed).files == 1
        assert run_refs.prune_old(repository, 1) == []
        assert git(repository, "show", f"refs/sidecar/{run}:src/a.txt") == "two, changed\n"


@pytest.mark.parametrize("days", [-4000, -100, 4000])
def test_changes_of_a_node_whose_clock_is_wrong_by_years_stay_as_long_as_others(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    def run_at(run: str, moment: float) -> None:
        tree, node, _ = sent(repository, tmp_path / "fleet", run)
        (node.path / "b.txt").write_text(run)
        with monkeypatch.context() as clock:
            clock.setenv("GIT_COMMITTER_DATE", f"@{int(moment)} +0000")
            commit, packed = node.save(run)
        workspace.bring_back(tree, run, commit, packed, keep_days=90)

    now = time.time()
    run_at("wrong", now + days * DAY)
    run_at("right", now)
    assert git(repository, "show", "refs/sidecar/wrong:b.txt") == "wrong"
    monkeypatch.setattr(time, "time", lambda: now + 91 * DAY)
    assert run_refs.prune_old(repository, 90) == ["refs/sidecar/right", "refs/sidecar/wrong"]


@pytest.mark.parametrize("bytes_", [2 << 30, 1 << 40])
def test_a_huge_file_keeps_no_other_file_from_coming_back(
    repository: Path, tmp_path: Path, bytes_: int
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "kept.txt").write_text("kept\n")
    (node.path / "gone.txt").unlink()
    for name in ("huge.img", "src/a.txt", "ignored"):
        with (node.path / name).open("wb") as file:
            file.truncate(bytes_)
    git(node.path, "add", "--intent-to-add", "huge.img")
    began = time.monotonic()
    commit, data = node.save(RUN)
    assert time.monotonic() - began < 20
    assert sorted(node.left_out) == ["huge.img", "src/a.txt"]
    workspace.bring_back(tree, RUN, commit, data)
    changed = git(repository, "diff", "--name-status", tree.base, f"refs/sidecar/{RUN}").split()
    assert changed == ["D", "gone.txt", "A", "kept.txt"]
