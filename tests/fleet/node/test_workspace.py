"""A workspace reaches a node and comes back with every kind of change, and the user's files stay the same."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.job import Tree
from sidecar.subagents.runners.remote.refs import run_refs

RUN = "0d2f8a51-5a7c-4c4e-9b4e-3f1f8a9e6c11"


def git(folder: Path, *args: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("ignored\n")
    (root / "src" / "a.txt").write_text("one\n")
    (root / "gone.txt").write_text("gone\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    (root / "src" / "a.txt").write_text("one, changed\n")
    (root / "untracked.txt").write_text("new\n")
    (root / "ignored").write_text("secret\n")
    return root


def sent(repository: Path, fleet: Path, run: str = RUN, directory: str = "") -> tuple[Tree, NodeTree, bytes]:
    """Send the workspace to a node's folder and return what is there."""
    tree = workspace.prepare(repository / directory)
    folder = fleet / "runs" / run
    folder.mkdir(parents=True)
    node = NodeTree(fleet, folder, tree.repository, tree.prefix, tree.base)
    data = workspace.packed(tree, node.known())
    if data:
        node.write(0, data)
    node.check_out(run)
    return tree, node, data


def test_uncommitted_files_travel_and_ignored_ones_do_not(repository: Path, tmp_path: Path) -> None:
    _, node, _ = sent(repository, tmp_path / "fleet")
    assert (node.path / "src" / "a.txt").read_text() == "one, changed\n"
    assert (node.path / "untracked.txt").read_text() == "new\n"
    assert not (node.path / "ignored").exists()
    assert git(node.path, "status", "--porcelain") == ""
    assert git(node.path, "branch", "--show-current").strip() == f"sidecar/{RUN[:8]}"


def test_refs_index_and_files_of_the_user_stay_the_same(repository: Path, tmp_path: Path) -> None:
    before = (git(repository, "show-ref"), git(repository, "status", "--porcelain"))
    index = (repository / ".git" / "index").read_bytes()
    sent(repository, tmp_path / "fleet")
    assert (repository / ".git" / "index").read_bytes() == index
    assert (git(repository, "show-ref"), git(repository, "status", "--porcelain")) == before


def test_every_kind_of_change_comes_back(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    data = bytes(range(256)) * 10
    (node.path / "binary.dat").write_bytes(data)
    (node.path / "link").symlink_to("src/a.txt")
    (node.path / "src" / "a.txt").chmod(0o755)
    (node.path / "gone.txt").unlink()
    (node.path / "ä name\nwith a line").write_text("x\n")
    commit, packed = node.save(RUN)
    changes = workspace.bring_back(tree, RUN, commit, packed)
    ref = f"refs/sidecar/{RUN}"
    assert git(repository, "rev-parse", ref).strip() == commit
    shown = subprocess.run(
        ["git", "show", f"{ref}:binary.dat"], cwd=repository, check=True, capture_output=True
    ).stdout
    assert shown == data
    modes = {
        line.split("\t")[1]: line.split()[0] for line in git(repository, "ls-tree", "-r", ref).splitlines()
    }
    assert modes["link"] == "120000" and modes["src/a.txt"] == "100755" and "gone.txt" not in modes
    assert (changes.files, changes.additions, changes.deletions, changes.uncounted_files) == (5, 2, 1, 1)
    assert (repository / "gone.txt").exists()


def test_commits_of_the_agent_are_kept(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "b.txt").write_text("b\n")
    git(node.path, "add", ".")
    git(node.path, "commit", "-q", "-m", "by the agent")
    (node.path / "c.txt").write_text("c\n")
    commit, packed = node.save(RUN)
    workspace.bring_back(tree, RUN, commit, packed)
    subjects = git(repository, "log", "--format=%s", f"{tree.base}..refs/sidecar/{RUN}").splitlines()
    assert subjects == [f"Changes of run {RUN}", "by the agent"]


def test_a_run_without_changes_points_to_its_base(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    commit, packed = node.save(RUN)
    assert (commit, packed) == (tree.base, b"")
    assert workspace.bring_back(tree, RUN, commit, packed).files == 0


def test_only_what_the_node_lacks_is_sent(repository: Path, tmp_path: Path) -> None:
    (repository / "large.bin").write_bytes(os.urandom(300_000))
    _, _, first = sent(repository, tmp_path / "fleet")
    (repository / "small.txt").write_text("small\n")
    _, _, second = sent(repository, tmp_path / "fleet", "1" + RUN[1:])
    _, _, third = sent(repository, tmp_path / "fleet", "2" + RUN[1:])
    assert len(first) > 300_000 > 2_000 > len(second) > 0
    assert third == b""


def test_a_run_works_in_the_same_folder_of_the_repository(repository: Path, tmp_path: Path) -> None:
    _, node, _ = sent(repository, tmp_path / "fleet", directory="src")
    assert node.working_directory == node.path / "src"


def test_a_repository_without_commits_travels(tmp_path: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("a\n")
    _, node, _ = sent(root, tmp_path / "fleet")
    assert (node.path / "a.txt").read_text() == "a\n"


@pytest.mark.parametrize("at", ["@0 +0000", "@5 +0000", "@99999999 +0000"])
def test_a_repository_whose_commit_is_very_old_travels(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """Tools that convert repositories write such times; git takes a short one without `@` for a date."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", at)
    git(repository, "commit", "-q", "--amend", "--no-edit")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    _, node, _ = sent(repository, tmp_path / "fleet")
    assert (node.path / "untracked.txt").read_text() == "new\n"


def test_a_folder_without_git_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match=r"git init.*placement: local"):
        workspace.prepare(tmp_path)


def test_no_hook_of_the_user_runs(repository: Path, tmp_path: Path) -> None:
    for name in ("pre-commit", "post-commit", "reference-transaction", "post-checkout"):
        hook = repository / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\nexit 1\n")
        hook.chmod(0o755)
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "b.txt").write_text("b\n")
    workspace.bring_back(tree, RUN, *node.save(RUN))
    assert not (tmp_path / "hooked").exists()


def kept(repository: Path) -> set[str]:
    return set(git(repository, "for-each-ref", "--format=%(refname)", "refs/sidecar").split())


def committed(repository: Path, ref: str, days: int) -> str:
    """Make a ref for changes of a run that ended some days ago; return their commit."""
    at = f"{int(time.time()) - days * 86_400} +0000"
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    argv = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    argv += ["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", ref]
    commit = subprocess.check_output(argv, cwd=repository, env={**os.environ, **dates}, text=True).strip()
    git(repository, "update-ref", ref, commit)
    return commit


def test_the_changes_of_old_runs_are_removed_when_new_ones_come(repository: Path, tmp_path: Path) -> None:
    committed(repository, "refs/sidecar/old", 91)
    committed(repository, "refs/sidecar/young", 89)
    committed(repository, "refs/other/old", 91)
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "b.txt").write_text("b")
    workspace.bring_back(tree, RUN, *node.save(RUN), keep_days=90)
    assert kept(repository) == {"refs/sidecar/young", f"refs/sidecar/{RUN}"}
    assert "refs/other/old" in git(repository, "for-each-ref")


def test_only_merged_changes_are_removed_before_their_time(repository: Path) -> None:
    merged = committed(repository, "refs/sidecar/merged", 1)
    committed(repository, "refs/sidecar/open", 1)
    git(repository, "branch", "feature", merged)
    assert run_refs.prune_merged(repository) == []  # a resumed run would start without them
    git(repository, "checkout", "--quiet", "feature")
    assert run_refs.prune_merged(repository) == ["refs/sidecar/merged"]
    assert kept(repository) == {"refs/sidecar/open"}
    assert run_refs.prune_merged(repository) == []
