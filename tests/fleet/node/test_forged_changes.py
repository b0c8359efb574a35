"""What a node sends as changes of a run cannot touch anything of the repository but the ref of that run."""

from pathlib import Path

import pytest

from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.git import GitError
from tests.fleet.node.test_workspace import RUN, git, repository, sent

__all__ = ["repository"]


def refs(repository: Path) -> str:
    return git(repository, "for-each-ref", "--format=%(refname) %(objectname)")


@pytest.mark.parametrize("ref", ["refs/heads/{branch}", "refs/sidecar/other", "refs/tags/v1", "HEAD"])
def test_refs_that_a_bundle_names_are_not_set(repository: Path, tmp_path: Path, ref: str) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    before, branch = refs(repository), git(repository, "symbolic-ref", "--short", "HEAD").strip()
    (node.path / "b.txt").write_text("b")
    commit, packed = node.save(RUN)
    forged = packed.replace(f" refs/sidecar/{RUN}\n".encode(), f" {ref.format(branch=branch)}\n".encode())
    assert forged != packed
    assert workspace.bring_back(tree, RUN, commit, forged).files == 1
    after = refs(repository).splitlines()
    assert f"refs/sidecar/{RUN} {commit}" in after
    assert [each for each in after if RUN not in each] == before.splitlines()


@pytest.mark.parametrize("commit", ["--stdin", "HEAD", "0" * 40, "c0de" * 10])
@pytest.mark.parametrize("is_packed", [True, False])
def test_a_commit_that_the_node_did_not_send_is_refused(
    repository: Path, tmp_path: Path, commit: str, is_packed: bool
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "b.txt").write_text("b")
    _, packed = node.save(RUN)
    before = refs(repository)
    with pytest.raises(GitError, match="the node sent changes without their commit"):
        workspace.bring_back(tree, RUN, commit, packed if is_packed else b"")
    assert refs(repository) == before
