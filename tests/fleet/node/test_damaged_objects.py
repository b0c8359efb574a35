"""The files of a tree come back even if the objects of git on the node are damaged."""

import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.git import GitError, bundle
from sidecar.subagents.runners.remote.job import Tree
from tests.fleet.node.test_agent_git import Act, came_back, commit_all
from tests.fleet.node.test_workspace import RUN, git, repository, sent

__all__ = ["repository"]


def objects(top: Path, kind: str) -> Iterator[Path]:
    """Yield the files of the loose objects that the agent made."""
    for file in (top / ".git" / "objects").glob("??/*"):
        if git(top, "cat-file", "-t", file.parent.name + file.name).strip() == kind:
            yield file


def replace(file: Path, data: bytes) -> None:
    file.chmod(0o644)
    file.write_bytes(data)


def forge_files(top: Path) -> None:
    commit_all(top)
    for file in list(objects(top, "blob")):
        replace(file, zlib.compress(b"blob 7\0forged\n"))


def cache_of(top: Path) -> Path:
    return Path((top / ".git" / "objects" / "info" / "alternates").read_text().strip())


def truncate_cache(top: Path) -> None:
    for pack in (cache_of(top) / "pack").glob("*.pack"):
        replace(pack, pack.read_bytes()[:-40])


def truncate_cache_after_a_commit(top: Path) -> None:
    commit_all(top)
    truncate_cache(top)


def remove_cache(top: Path) -> None:
    shutil.rmtree(cache_of(top).parent)


@pytest.mark.parametrize("damage", [forge_files, truncate_cache, truncate_cache_after_a_commit, remove_cache])
def test_files_come_back_from_a_tree_with_damaged_objects(
    repository: Path, tmp_path: Path, damage: Act
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "new.txt").write_text("by the agent\n")
    (node.path / "gone.txt").unlink()
    damage(node.path)
    (node.path / "late.txt").write_text("late\n")
    assert came_back(repository, tree, node, "new.txt") == "by the agent\n"
    names = git(repository, "ls-tree", "-r", "--name-only", f"refs/sidecar/{RUN}").split()
    assert names == [".gitignore", "late.txt", "new.txt", "src/a.txt", "untracked.txt"]
    changed = git(repository, "diff", "--name-only", tree.base, f"refs/sidecar/{RUN}").split()
    assert changed == ["gone.txt", "late.txt", "new.txt"]
    git(repository, "fsck", "--strict")


def test_what_a_sparse_checkout_and_a_submodule_leave_out_stays(repository: Path, tmp_path: Path) -> None:
    git(repository, "init", "-q", "sub")
    git(repository / "sub", "commit", "-q", "--allow-empty", "-m", "sub")
    git(repository, "-c", "advice.addEmbeddedRepo=false", "add", "sub")
    tree, node, _ = sent(repository, tmp_path / "fleet")
    git(node.path, "update-index", "--skip-worktree", "gone.txt")
    (node.path / "gone.txt").unlink()
    (node.path / "new.txt").write_text("new")
    truncate_cache(node.path)
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert git(repository, "diff", "--name-only", tree.base, f"refs/sidecar/{RUN}").split() == ["new.txt"]


def test_ignored_files_of_a_repository_in_a_tree_with_damaged_objects_come_back(
    repository: Path, tmp_path: Path
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "new.txt").write_text("new")
    commit_all(node.path)
    git(node.path, "init", "-q", "inner")
    (node.path / "inner" / "ignored").write_text("added")
    git(node.path / "inner", "add", "--force", "ignored")
    for file in list(objects(node.path, "blob")):
        replace(file, zlib.compress(b"blob 7\0forged\n"))
    assert came_back(repository, tree, node, "inner/ignored") == "added"


def lacking_an_object(tree: Tree, node: NodeTree) -> tuple[str, bytes]:
    """Return a commit and its bundle, whose file has another content than its name says."""
    (node.path / "new.txt").write_text("new")
    forge_files(node.path)
    commit = git(node.path, "rev-parse", "HEAD").strip()
    return commit, bundle(node.path, f"refs/sidecar/{RUN}", commit, [tree.base])


def test_a_commit_that_lacks_objects_is_refused(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    commit, packed = lacking_an_object(tree, node)
    with pytest.raises(GitError, match="rev-list"):
        workspace.bring_back(tree, RUN, commit, packed)
    assert not git(repository, "for-each-ref", "refs/sidecar")
