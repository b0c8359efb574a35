"""Whatever an agent does with git in its tree, its files come back."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from sidecar.fleet.access import remove_tree
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.fleet.tree import node_tree, tree_notes
from sidecar.fleet.tree.node_tree import NodeTree
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.git import GitTimeout
from sidecar.subagents.runners.remote.job import Tree
from tests.fleet.node.test_workspace import RUN, git, repository, sent

__all__ = ["repository"]

Act = Callable[[Path], object]


def commit_all(top: Path) -> None:
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "by the agent")


def begin_again(top: Path) -> None:
    shutil.rmtree(top / ".git")
    git(top, "init", "-q")


def begin_again_and_commit(top: Path) -> None:
    begin_again(top)
    commit_all(top)


def commit_without_history(top: Path) -> None:
    git(top, "checkout", "-q", "--orphan", "other")
    commit_all(top)


def link_to_a_repository(top: Path) -> None:
    shutil.rmtree(top / ".git")
    (top / ".git").write_text("gitdir: /nowhere\n")


def keep_in_two_trees(top: Path) -> None:
    elsewhere = top.parent / "elsewhere"
    elsewhere.mkdir()
    git(top, "config", "core.worktree", str(elsewhere))


def damage_objects(top: Path) -> None:
    commit_all(top)
    for each in (top / ".git" / "objects").glob("??/*"):
        each.chmod(0o644)
        each.write_bytes(b"damaged")


def came_back(repository: Path, tree: Tree, node: NodeTree, path: str) -> str:
    commit, packed = node.save(RUN)
    workspace.bring_back(tree, RUN, commit, packed)
    return git(repository, "show", f"refs/sidecar/{RUN}:{path}")


@pytest.mark.parametrize(
    "act",
    [
        lambda top: shutil.rmtree(top / ".git"),
        begin_again,
        begin_again_and_commit,
        link_to_a_repository,
        lambda top: git(top, "checkout", "-q", "--orphan", "other"),
        commit_without_history,
        lambda top: (top / ".git" / "index").write_bytes(b"damaged"),
        lambda top: (top / ".git" / "HEAD").write_bytes(b"damaged"),
        lambda top: (top / ".git" / "config").write_bytes(b"damaged"),
        lambda top: git(top, "config", "core.bare", "true"),
        keep_in_two_trees,
        damage_objects,
    ],
    ids=[
        "removed",
        "new",
        "new-commit",
        "linked",
        "orphan",
        "orphan-commit",
        "bad-index",
        "bad-head",
        "bad-settings",
        "bare",
        "other-tree",
        "bad-objects",
    ],
)
def test_changes_come_back_from_any_repository_in_the_tree(
    repository: Path, tmp_path: Path, act: Act
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "new.txt").write_text("new")
    act(node.path)
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert git(repository, "diff", "--name-only", tree.base, f"refs/sidecar/{RUN}") == "new.txt\n"


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_changes_that_the_agent_hid_from_git_come_back(repository: Path, tmp_path: Path, mark: str) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    git(node.path, "update-index", mark, "src/a.txt")
    (node.path / "src" / "a.txt").write_text("changed by the agent")
    assert came_back(repository, tree, node, "src/a.txt") == "changed by the agent"


def test_files_that_a_sparse_checkout_removed_are_not_deleted(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    git(node.path, "sparse-checkout", "set", "--no-cone", "/*", "!/gone.txt")
    (node.path / "new.txt").write_text("new")
    assert not (node.path / "gone.txt").exists()
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert git(repository, "diff", "--name-only", tree.base, f"refs/sidecar/{RUN}") == "new.txt\n"


def test_ignored_files_that_the_agent_added_come_back(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "ignored").write_text("added")
    git(node.path, "add", "--force", "ignored")
    assert came_back(repository, tree, node, "ignored") == "added"


@pytest.mark.parametrize("place", ["--local", "--global"])
def test_no_program_that_the_agent_set_in_git_runs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    tree, node, _ = sent(repository, tmp_path / "fleet")
    ran = tmp_path / "ran"
    git(node.path, "config", place, "filter.own.clean", f"touch '{ran}'; cat")
    git(node.path, "config", place, "filter.own.process", f"touch '{ran}'")
    git(node.path, "config", place, "core.fsmonitor", f"touch '{ran}'")
    (node.path / ".git" / "info" / "attributes").write_text("* filter=own\n")
    (node.path / ".gitattributes").write_text("* filter=own\n")
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert not ran.exists()


def test_no_program_runs_in_a_submodule(repository: Path, tmp_path: Path) -> None:
    inner = repository / "sub"
    git(repository, "init", "-q", "sub")
    (inner / "f").write_text("x")
    commit_all(inner)
    git(repository, "add", "sub")
    tree, node, _ = sent(repository, tmp_path / "fleet")
    ran = tmp_path / "ran"
    own = node.path / "sub"
    git(own, "init", "-q")
    (own / "f").write_text("x")
    commit_all(own)
    git(own, "config", "filter.own.clean", f"touch '{ran}'; cat")
    (own / ".git" / "info" / "attributes").write_text("* filter=own\n")
    (own / "f").write_text("y")
    (node.path / ".gitmodules").write_text("[broken")
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert not ran.exists()


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".gitmodules", "inner/.gitignore"])
def test_a_pipe_does_not_hold_a_run_up(repository: Path, tmp_path: Path, name: str) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "inner").mkdir()
    (node.path / name).unlink(missing_ok=True)
    os.mkfifo(node.path / name)
    os.mkfifo(node.path / ".git" / "objects" / "info" / "commit-graph")
    (node.path / "inner" / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "inner/new.txt") == "new"


def test_a_file_that_git_cannot_convert_comes_back_as_it_is(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / ".gitattributes").write_text("*.u working-tree-encoding=UTF-16\n")
    (node.path / "x.u").write_text("no UTF-16!")
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert git(repository, "show", f"refs/sidecar/{RUN}:x.u") == "no UTF-16!"
    assert node.left_out == []


def test_many_files_that_git_cannot_convert_come_back(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / ".gitattributes").write_text("*.u working-tree-encoding=UTF-16\n")
    for number in range(150):
        (node.path / f"{number}.u").write_text("no UTF-16!")
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"
    names = git(repository, "ls-tree", "--name-only", f"refs/sidecar/{RUN}").split()
    assert len([each for each in names if each.endswith(".u")]) == 150
    assert node.left_out == []


def test_a_failure_that_may_be_over_later_keeps_the_commits_of_the_agent(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "new.txt").write_text("new")
    commit_all(node.path)

    def late(*_: object) -> NoReturn:
        raise GitTimeout("git write-tree did not end in time")

    with monkeypatch.context() as patch:
        patch.setattr(node_tree, "commit_index", late)
        with pytest.raises(GitTimeout):
            node.save(RUN)
    assert came_back(repository, tree, node, "new.txt") == "new"
    assert "by the agent" in git(repository, "log", "-2", "--format=%s", f"refs/sidecar/{RUN}")


def test_what_the_user_of_the_node_ignores_comes_back(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (tmp_path / "xdg" / "git").mkdir(parents=True)
    (tmp_path / "xdg" / "git" / "ignore").write_text("*\n")
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"


def split_index(top: Path) -> None:
    git(top, "update-index", "--split-index")


def keep_repository_elsewhere(top: Path) -> None:
    git(top, "init", "-q", f"--separate-git-dir={top.parent / 'elsewhere'}")


def link_index(top: Path) -> None:
    (top / ".git" / "index").rename(top / ".git" / "other-index")
    (top / ".git" / "index").symlink_to("other-index")


@pytest.mark.parametrize("keep", [split_index, keep_repository_elsewhere, link_index])
def test_an_index_is_read_wherever_the_agent_keeps_it(repository: Path, tmp_path: Path, keep: Act) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "ignored").write_text("added")
    git(node.path, "add", "--force", "ignored")
    git(node.path, "update-index", "--skip-worktree", "gone.txt")
    (node.path / "gone.txt").unlink()
    keep(node.path)
    assert came_back(repository, tree, node, "ignored") == "added"
    assert git(repository, "diff", "--name-only", tree.base, f"refs/sidecar/{RUN}") == "ignored\n"


def test_one_odd_path_does_not_void_what_the_agent_added(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "ignored").write_text("added")
    (node.path / "odd").mkdir()
    (node.path / "odd" / "file").write_text("x")
    git(node.path, "add", "--force", "ignored", "odd/file")
    shutil.move(node.path / "odd", tmp_path / "odd")
    (node.path / "odd").symlink_to(tmp_path / "odd")
    assert came_back(repository, tree, node, "ignored") == "added"


def test_ignored_files_that_a_repository_in_the_tree_has_come_back(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    inner = node.path / "inner"
    git(node.path, "init", "-q", "inner")
    (inner / "ignored").write_text("added")
    git(inner, "add", "--force", "ignored")
    (inner / "other").write_text("x")
    assert came_back(repository, tree, node, "inner/ignored") == "added"


def test_ignored_files_of_a_repository_made_in_a_tracked_folder_come_back(
    repository: Path, tmp_path: Path
) -> None:
    (repository / "deep" / "inner").mkdir(parents=True)
    (repository / "deep" / "inner" / "tracked").write_text("x")
    git(repository, "add", "deep")
    tree, node, _ = sent(repository, tmp_path / "fleet")
    inner = node.path / "deep" / "inner"
    git(inner, "init", "-q")
    (inner / "ignored").write_text("added")
    git(inner, "add", "--force", "ignored")
    assert came_back(repository, tree, node, "deep/inner/ignored") == "added"
    assert node.opened == ["deep/inner"]


@pytest.mark.parametrize("is_ignored", [False, True])
def test_ignored_files_of_a_repository_that_the_agent_linked_come_back(
    repository: Path, tmp_path: Path, is_ignored: bool
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    git(node.path, "init", "-q", "inner")
    (node.path / "inner" / "ignored").write_text("added")
    git(node.path / "inner", "add", "--force", "ignored")
    git(node.path / "inner", "commit", "-q", "-m", "inner")
    if is_ignored:
        (node.path / ".gitignore").write_text("inner/\n")
    git(node.path, "add", "--force", "inner")
    git(node.path, "commit", "-q", "-m", "by the agent")
    assert came_back(repository, tree, node, "inner/ignored") == "added"


def test_repositories_and_files_outside_of_the_tree_stay_there(repository: Path, tmp_path: Path) -> None:
    git(repository, "init", "-q", "sub")
    (repository / "sub" / "f").write_text("x")
    commit_all(repository / "sub")
    git(repository, "add", "sub")
    tree, node, _ = sent(repository, tmp_path / "fleet")
    outside = tmp_path / "outside"
    git(tmp_path, "init", "-q", "outside")
    (outside / "a.txt").write_text("secret")
    shutil.rmtree(node.path / "sub")
    (node.path / "sub").symlink_to(outside)
    shutil.rmtree(node.path / "src")
    (node.path / "src").symlink_to(outside)
    (node.path / ".gitignore").write_text("src\n")
    (node.path / ".gitattributes").write_text("*.u working-tree-encoding=UTF-16\n")
    (node.path / "x.u").write_text("no UTF-16!")
    assert came_back(repository, tree, node, "x.u") == "no UTF-16!"
    assert (outside / ".git").is_dir()
    assert "secret" not in git(repository, "diff", tree.base, f"refs/sidecar/{RUN}")


@pytest.mark.parametrize("content", [b"gitdir: a\0b\n", b"gitdir: \xe9\n"])
def test_a_broken_pointer_to_a_repository_is_ignored(
    repository: Path, tmp_path: Path, content: bytes
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    shutil.rmtree(node.path / ".git")
    (node.path / ".git").write_bytes(content)
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"


def test_deep_folders_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "tree"
    depth = 1_500
    command = f"mkdir tree; cd tree; i=0; while [ $i -lt {depth} ]; do mkdir d; cd d; i=$((i+1)); done"
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    remove_tree(top)
    assert not top.exists()


def test_a_tree_that_became_a_link_has_no_changes(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    outside = tmp_path / "outside"
    git(tmp_path, "init", "-q", "outside")
    shutil.rmtree(node.path)
    node.path.symlink_to(outside)
    assert node.save(RUN) == (tree.base, b"")
    assert (outside / ".git").is_dir()


def test_rights_of_files_outside_of_the_tree_stay(repository: Path, tmp_path: Path) -> None:
    _, node, _ = sent(repository, tmp_path / "fleet")
    outside = tmp_path / "outside"
    outside.write_text("x")
    (node.path / "linked").hardlink_to(outside)
    outside.chmod(0o040)
    node.save(RUN)
    assert outside.stat().st_mode & 0o777 == 0o040


def test_a_name_with_invalid_bytes_can_be_logged(repository: Path, tmp_path: Path) -> None:
    _, node, _ = sent(repository, tmp_path / "fleet")
    git(node.path, "init", "-q", "a\udcff")
    node.save(RUN)
    [note] = tree_notes.opened(node)
    assert "a\\udcff" in note.encode().decode()


def test_a_file_that_git_cannot_store_does_not_keep_the_others_back(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "git~1").mkdir()
    (node.path / "git~1" / "config").write_text("a path that git refuses")
    (node.path / "new.txt").write_text("new")
    assert came_back(repository, tree, node, "new.txt") == "new"
    [note] = tree_notes.opened(node)
    assert "git~1/config" in note


@pytest.mark.parametrize("is_committed", [False, True])
@pytest.mark.parametrize("is_known", [False, True])
def test_files_of_repositories_that_the_agent_made_come_back(
    repository: Path, tmp_path: Path, is_committed: bool, is_known: bool
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    inner = node.path / "app" / "inner"
    inner.mkdir(parents=True)
    git(inner.parent, "init", "-q")
    git(inner, "init", "-q")
    (inner / "new.txt").write_text("new")
    if is_committed:
        commit_all(inner)
        commit_all(inner.parent)
    if is_committed and is_known:
        commit_all(node.path)  # as a link, without the files
    assert came_back(repository, tree, node, "app/inner/new.txt") == "new"
    assert sorted(node.opened) == ["app", "app/inner"]
    [note] = tree_notes.opened(node)
    assert "app" in note and "histories" in note


def test_a_run_whose_agent_removed_the_repository_is_saved_after_its_death(
    repository: Path, tmp_path: Path
) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (node.path / "new.txt").write_text("new")
    shutil.rmtree(node.path / ".git")
    run = LeftRun(tmp_path / "fleet" / "runs" / RUN, tree.repository, tree.prefix, tree.base)
    assert run.save() and run.changes.commit not in (None, tree.base)


def test_a_tree_that_was_not_finished_has_no_changes(repository: Path, tmp_path: Path) -> None:
    tree, node, _ = sent(repository, tmp_path / "fleet")
    (tmp_path / "fleet" / "runs" / RUN / "tree-in-the-making").touch()
    shutil.rmtree(node.path / "src")
    assert node.save(RUN) == (tree.base, b"")


def lfs(home: Path, top: Path) -> None:
    """Set up a user whose git keeps large files elsewhere, as Git LFS does."""
    kept = home / "kept"
    kept.mkdir(parents=True)
    clean, smudge = home / "clean", home / "smudge"
    clean.write_text(f"#!/bin/sh\ncat > {kept}/$$; echo pointer $$\n")
    smudge.write_text(f"#!/bin/sh\nread pointer name; exec cat {kept}/$name\n")
    for program in (clean, smudge):
        program.chmod(0o755)
        git(top, "config", "--global", f"filter.lfs.{program.name}", str(program))
    git(top, "config", "--global", "filter.lfs.required", "true")


def test_files_of_git_lfs_are_named_and_what_the_agent_writes_comes_back_whole(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    lfs(tmp_path / "home", repository)
    (repository / ".gitattributes").write_text("*.big filter=lfs -text\n")
    (repository / "old.big").write_text("large")
    commit_all(repository)
    (tmp_path / "home" / "kept").rename(tmp_path / "home" / "elsewhere")  # the node has no contents
    (tmp_path / "home" / "kept").mkdir()
    tree, node, _ = sent(repository, tmp_path / "fleet")
    assert (node.path / "old.big").read_text().startswith("pointer ")
    [note] = tree_notes.missing(node)
    assert "Git LFS" in note and "old.big" in note
    for name in ("committed.big", "new.big"):
        (node.path / name).write_text(name)
        git(node.path, "add", "committed.big")
    git(node.path, "commit", "-q", "-m", "by the agent")
    for name in ("committed.big", "new.big"):
        assert came_back(repository, tree, node, name) == name


_WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
from sidecar.subagents.runners.remote import workspace
from tests.fleet.node.test_workspace import RUN, git, sent

if os.getuid() == 0:
    os.setuid(65534)  # root reads everything
os.environ["HOME"] = "/nowhere"

home = Path(sys.argv[1])
root = home / "repository"
root.mkdir()
git(root, "init", "-q")
(root / "a.txt").write_text("one")
(root / "closed").mkdir()
(root / "closed" / "b.txt").write_text("two")
git(root, "add", ".")
git(root, "commit", "-q", "-m", "first")
tree, node, _ = sent(root, home / "fleet")
(node.path / "new.txt").write_text("new")
(node.path / "new.txt").chmod(0)
(node.path / "closed").chmod(0)
(node.path / "cache" / "module").mkdir(parents=True)
(node.path / "cache" / "module" / "c.txt").write_text("three")
(node.path / "cache" / "module").chmod(0o555)
commit, packed = node.save(RUN)
workspace.bring_back(tree, RUN, commit, packed)
print(git(root, "diff", "--name-status", tree.base, commit))
(node.path / "cache" / "module").chmod(0o555)
node.remove()
print(node.path.exists())
"""


def test_files_without_rights_come_back_and_nothing_of_them_stays() -> None:
    with tempfile.TemporaryDirectory() as home:  # the folders above `tmp_path` are closed to others
        Path(home).chmod(0o777)
        done = subprocess.run(
            [sys.executable, "-c", _WITHOUT_RIGHTS, home],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[3],
            timeout=60,
            check=False,
        )
    assert done.stdout.split("\n") == ["A\tcache/module/c.txt", "A\tnew.txt", "", "False", ""], done.stderr
