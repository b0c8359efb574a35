"""A resumed run on a cluster starts with the changes of the run that it resumes, if they can be merged."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.remote import git as remote_git
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.git import bundle
from sidecar.subagents.runners.remote.job import Tree
from sidecar.subagents.runners.remote.refs import earlier, run_refs

FORMER = "0d2f8a51-5a7c-4c4e-9b4e-3f1f8a9e6c11"
NEXT = "1d2f8a51-5a7c-4c4e-9b4e-3f1f8a9e6c11"
SIBLING = "2d2f8a51-5a7c-4c4e-9b4e-3f1f8a9e6c11"


def git(folder: Path, *args: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\n")
    (root / "b.txt").write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    (root / "uncommitted.txt").write_text("mine\n")
    return root


def run_changes(repository: Path, start: Tree, run: str, **files: str) -> None:
    """Let a run change files from its start on, and bring its changes back."""
    copy = repository.parent / run
    if not copy.exists():
        git(repository, "worktree", "add", "-q", "--detach", str(copy), start.base)
    for name, text in files.items():
        (copy / f"{name}.txt").write_text(text)
    git(copy, "add", ".")
    git(copy, "commit", "-q", "--allow-empty", "-m", "changes")
    commit = git(copy, "rev-parse", "HEAD")
    workspace.bring_back(start, run, commit, bundle(repository, "refs/changes", commit, []))


def started(repository: Path, *runs: str) -> tuple[Tree, list[str]]:
    return earlier.with_changes(workspace.prepare(repository), runs)


def content(repository: Path, tree: Tree, name: str) -> str:
    return git(repository, "show", f"{tree.base}:{name}.txt")


def test_changes_that_are_not_merged_are_added_to_the_workspace(repository: Path) -> None:
    before = workspace.prepare(repository)
    run_changes(repository, before, FORMER, a="two", new="new")
    (repository / "uncommitted.txt").write_text("mine, changed\n")
    tree, (notice,) = started(repository, FORMER)
    assert [content(repository, tree, name) for name in ("a", "b", "new")] == ["two", "one", "new"]
    assert content(repository, tree, "uncommitted") == "mine, changed"
    assert f"with the changes of run {FORMER}" in notice
    assert git(repository, "rev-parse", f"{tree.base}^") == workspace.prepare(repository).base


@pytest.mark.parametrize("how", ["merged", "applied"])
def test_changes_that_the_workspace_has_are_not_added_again(repository: Path, how: str) -> None:
    (repository / "uncommitted.txt").unlink()
    run_changes(repository, workspace.prepare(repository), FORMER, a="two\n")
    if how == "merged":
        git(repository, "merge", "-q", f"refs/sidecar/{FORMER}")
        (repository / "a.txt").write_text("three\n")
    else:
        (repository / "a.txt").write_text("two\n")
    assert started(repository, FORMER) == (workspace.prepare(repository), [])


def test_a_conflict_is_named_and_the_run_starts_from_the_workspace(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two\n", b="two\n")
    (repository / "a.txt").write_text("three\n")
    tree, (notice,) = started(repository, FORMER)
    assert tree == workspace.prepare(repository)
    assert "both changed a.txt. They are in refs/sidecar/" in notice


def test_a_git_that_cannot_merge_this_way_is_named(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two\n")

    def old(folder: Path, *args: str, **given: Any) -> bytes:
        return remote_git.git(
            folder, *("--unknown" if arg == "--write-tree" else arg for arg in args), **given
        )

    monkeypatch.setattr(earlier, "git", old)
    tree, (notice,) = started(repository, FORMER)
    assert tree == workspace.prepare(repository)
    assert "this takes git 2.38 or newer" in notice


def test_a_run_without_changes_passes_on_those_that_it_started_with(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    tree, _ = started(repository, FORMER)
    run_changes(repository, tree, NEXT)
    again, (notice,) = started(repository, NEXT, FORMER)
    assert content(repository, again, "a") == "two"
    assert f"with the changes of run {NEXT}" in notice


def test_changes_of_several_runs_add_up(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    run_changes(repository, started(repository, FORMER)[0], NEXT, b="two")
    tree, _ = started(repository, NEXT, FORMER)
    assert [content(repository, tree, name) for name in ("a", "b")] == ["two", "two"]


def test_only_the_changes_of_the_resumed_run_itself_are_counted(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    tree, _ = started(repository, FORMER)
    data = bundle(repository, "refs/changes", tree.base, [])
    assert workspace.bring_back(tree, NEXT, tree.base, data).files == 0


def test_a_resumed_run_that_brought_nothing_back_does_not_count(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    tree, _ = started(repository, NEXT, FORMER)
    assert content(repository, tree, "a") == "two"


def test_signatures_do_not_disturb(repository: Path) -> None:
    git(repository, "config", "log.showSignature", "true")
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    git(repository, "config", "commit.gpgSign", "true")  # without a key
    tree, _ = started(repository, FORMER)
    assert content(repository, tree, "a") == "two"


def test_a_run_without_its_ref_is_named(repository: Path) -> None:
    tree, (notice,) = started(repository, FORMER)
    assert tree == workspace.prepare(repository)
    assert f"without the changes of run {FORMER}, unless the workspace has them: refs/sidecar/" in notice


def test_a_repository_without_a_commit_keeps_the_changes_too(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("one\n")
    run_changes(root, workspace.prepare(root), FORMER, b="two")
    (root / "c.txt").write_text("three\n")
    tree, _ = started(root, FORMER)
    assert [content(root, tree, name) for name in ("a", "b", "c")] == ["one", "two", "three"]


@pytest.mark.parametrize("how", ["expired", "deleted", "edited"])
def test_changes_are_found_without_the_log_of_their_ref(repository: Path, how: str) -> None:
    ref = f"refs/sidecar/{FORMER}"
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    if how == "expired":
        git(repository, "reflog", "expire", "--expire=all", "--all")
    elif how == "deleted":
        git(repository, "reflog", "delete", f"{ref}@{{0}}")
    else:
        git(
            repository,
            "update-ref",
            ref,
            git(repository, "commit-tree", f"{ref}^{{tree}}", "-p", ref, "-m", "b"),
        )
    tree, (notice,) = started(repository, FORMER)
    assert content(repository, tree, "a") == "two" and "with the changes" in notice


def test_changes_whose_commit_is_missing_are_named(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two")
    (repository / ".git" / "refs" / "sidecar" / FORMER).write_text("ab" * 20 + "\n")
    tree, (notice,) = started(repository, FORMER)
    assert tree == workspace.prepare(repository) and "without the changes" in notice


def test_changes_that_a_later_run_did_without_are_merged_once_they_can_be(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two\n", new="new")
    (repository / "a.txt").write_text("mine\n")
    second, (notice,) = started(repository, FORMER)
    assert "without the changes" in notice
    run_changes(repository, second, NEXT, b="two")
    (repository / "a.txt").write_text("one\n")
    tree, notices = started(repository, NEXT, FORMER)
    assert [content(repository, tree, name) for name in ("a", "b", "new")] == ["two", "two", "new"]
    assert len(notices) == 2


def test_changes_that_came_back_late_are_merged_too(repository: Path) -> None:
    first = workspace.prepare(repository)
    run_changes(repository, started(repository, FORMER)[0], NEXT, b="two")
    run_changes(repository, first, FORMER, a="two")
    tree, _ = started(repository, NEXT, FORMER)
    assert [content(repository, tree, name) for name in ("a", "b")] == ["two", "two"]


def test_lines_that_two_runs_changed_one_after_the_other_do_not_conflict(repository: Path) -> None:
    run_changes(repository, workspace.prepare(repository), FORMER, a="two\n")
    run_changes(repository, started(repository, FORMER)[0], NEXT, a="three\n")
    tree, (notice,) = started(repository, NEXT, FORMER)
    assert content(repository, tree, "a") == "three" and f"with the changes of run {NEXT}" in notice


@pytest.mark.parametrize("how", ["with the ref", "without the ref", "later workspace"])
def test_changes_that_a_merged_run_has_in_common_do_not_conflict(repository: Path, how: str) -> None:
    (repository / "uncommitted.txt").unlink()
    run_changes(repository, workspace.prepare(repository), FORMER, a="one\ntwo\n")
    run_changes(repository, started(repository, FORMER)[0], NEXT, b="two\n")
    if how == "later workspace":
        (repository / "c.txt").write_text("mine\n")
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", "second")
    run_changes(repository, started(repository, FORMER)[0], SIBLING, a="one\ntwo\nthree\n")
    git(repository, "merge", "-q", f"refs/sidecar/{SIBLING}")
    if how == "without the ref":
        assert run_refs.prune_merged(repository) == [f"refs/sidecar/{SIBLING}"]
    tree, notices = started(repository, NEXT)
    assert [content(repository, tree, name) for name in ("a", "b")] == ["one\ntwo\nthree", "two"]
    assert len(notices) == 1 and f"with the changes of run {NEXT}" in notices[0]


def test_git_merges_two_runs_that_resumed_the_same_one(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "uncommitted.txt").unlink()
    run_changes(repository, workspace.prepare(repository), FORMER, a="one\ntwo\n")
    first, _ = started(repository, FORMER)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")  # as if it were another second
    run_changes(repository, started(repository, FORMER)[0], SIBLING, a="one\ntwo\nthree\n")
    run_changes(repository, first, NEXT, b="two\n")
    git(repository, "merge", "-q", f"refs/sidecar/{SIBLING}")
    git(repository, "merge", "-q", f"refs/sidecar/{NEXT}")
    assert (repository / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_changes_that_an_earlier_run_brings_along_are_not_missed(repository: Path) -> None:
    """The workspace has those of the resumed run, but not those that it started with."""
    run_changes(repository, workspace.prepare(repository), FORMER, a="one\ntwo\n")
    run_changes(repository, started(repository, FORMER)[0], NEXT, b="two\n")
    (repository / "b.txt").write_text("two\n")
    tree, _ = started(repository, NEXT)
    assert [content(repository, tree, name) for name in ("a", "b")] == ["one\ntwo", "two"]


def test_no_merge_driver_of_the_user_drops_changes_or_runs(repository: Path) -> None:
    (repository / ".gitattributes").write_text("a.txt merge=mine\n")
    git(repository, "config", "merge.mine.driver", "touch ran; true")
    run_changes(repository, workspace.prepare(repository), FORMER, a="two\n")
    (repository / "a.txt").write_text("three\n")
    _, (notice,) = started(repository, FORMER)
    assert "both changed a.txt" in notice and not (repository / "ran").exists()


@pytest.mark.parametrize("target", [None, "/etc"])
def test_the_folder_in_which_a_run_works_stays_a_folder(repository: Path, target: str | None) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "c.txt").write_text("one")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    copy = repository.parent / FORMER
    start = workspace.prepare(repository / "sub")
    git(repository, "worktree", "add", "-q", "--detach", str(copy), start.base)
    (copy / "sub").rename(copy / "moved")
    if target is not None:
        (copy / "sub").symlink_to(target)
    run_changes(repository, start, FORMER)
    tree, (notice,) = earlier.with_changes(workspace.prepare(repository / "sub"), [FORMER])
    assert tree == workspace.prepare(repository / "sub")
    assert "they remove the folder 'sub', in which the run works" in notice


def test_names_of_files_that_conflict_are_written_as_they_are(repository: Path) -> None:
    (repository / "ä.txt").write_text("one\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    run_changes(repository, workspace.prepare(repository), FORMER, ä="two\n")
    (repository / "ä.txt").write_text("three\n")
    _, (notice,) = started(repository, FORMER)
    assert "both changed ä.txt." in notice
