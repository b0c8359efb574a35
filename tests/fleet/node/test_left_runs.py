"""What a dead process of a run leaves on its node: its changes are saved, and wait for a sidecar."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.fleet.leftovers import run_lock, watcher
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.fleet.leftovers.salvage import discard, salvage
from sidecar.fleet.tree.kept_changes import KeptChanges
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.job import Tree
from tests.fleet.node.test_workspace import RUN, git, repository, sent

__all__ = ["repository"]


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIDECAR_FLEET_DIR", str(tmp_path / "fleet"))
    return tmp_path / "fleet"


def left(repository: Path, fleet: Path) -> tuple[Tree, LeftRun]:
    """Let a run work on its node, and change a file."""
    tree, node, _ = sent(repository, fleet)
    (node.path / "new.txt").write_text("new\n")
    node.release()
    return tree, LeftRun(fleet / "runs" / RUN, tree.repository, tree.prefix, tree.base)


def asked(tree: Tree) -> dict[str, object]:
    return salvage(RUN, tree.repository, tree.prefix, tree.base, 0)


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_watcher_saves_the_changes_at_the_end_of_the_actor(repository: Path, fleet: Path) -> None:
    tree, run = left(repository, fleet)
    descriptor = watcher.start(run)
    assert run.changes.commit is None
    os.close(descriptor)
    until(lambda: run.changes.commit and not (run.folder / "tree").exists())
    commit, data = run.changes.commit, run.changes.piece(0)["data"]
    assert commit is not None and workspace.bring_back(tree, RUN, commit, data).files == 1
    assert git(repository, "show", f"refs/sidecar/{RUN}:new.txt") == "new\n"
    assert run_lock.is_held(run.folder)
    discard(RUN)
    until(lambda: not run.folder.exists())


def test_changes_without_a_watcher_are_saved_on_request(repository: Path, fleet: Path) -> None:
    tree, run = left(repository, fleet)
    answers = [asked(tree)]
    assert answers == [{"lines": [], "commit": None, "saving": True, "problem": None}]
    until(lambda: not asked(tree)["saving"])
    assert asked(tree)["commit"] == run.changes.commit is not None
    discard(RUN)


def test_a_git_that_was_killed_while_it_saved_prevents_nothing(repository: Path, fleet: Path) -> None:
    tree, run = left(repository, fleet)
    shutil.copy2(run.folder / "tree" / ".git" / "index", run.folder / "tree" / ".git" / "index.lock")
    for name in ("snapshot.index", "snapshot.index.lock"):
        (run.folder / name).write_bytes(b"")
    assert run.save() and run.changes.commit not in (None, tree.base)


def test_git_of_a_dead_actor_is_killed(repository: Path, fleet: Path) -> None:
    _, run = left(repository, fleet)
    argv = ["git", "cat-file", "--batch"]
    with subprocess.Popen(argv, cwd=run.folder / "tree", stdin=subprocess.PIPE) as process:
        os.close(watcher.start(run))
        assert process.wait(30) == -signal.SIGKILL
    discard(RUN)


def test_a_failed_save_says_why_and_is_tried_again(
    repository: Path, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: KeptChanges, *_: object) -> str:
        raise OSError("no space left on device")

    tree, run = left(repository, fleet)
    held = run_lock.hold(run.folder)
    with monkeypatch.context() as patched:
        patched.setattr(KeptChanges, "save", full)
        assert not run.save() and run.has_changes
        assert (asked(tree)["saving"], asked(tree)["problem"]) == (False, "no space left on device")
    assert run.save() and asked(tree)["problem"] is None and asked(tree)["commit"] is not None
    assert held is not None
    os.close(held)


def test_a_run_without_changes_has_nothing_to_wait_for(repository: Path, fleet: Path) -> None:
    tree, run = left(repository, fleet)
    (run.folder / "tree" / "new.txt").unlink()
    assert run.has_changes
    assert run.save() and not run.has_changes and run.changes.commit == tree.base


@pytest.mark.parametrize(
    ("lines", "has_result"),
    [
        (None, False),
        ("", False),
        ('{"begun":true}\n{"event":{"type":"log","text":"{\\"result\\":1}"}}\n', False),
        ('{"begun":true}\n{"result":{"terminate_reason":"GOAL"},"commit":"c"}\n', True),
        ('{"begun":true}\n{"result":{"terminate_reason":"GOA', False),
    ],
)
def test_a_run_has_a_result_if_its_journal_ends_with_it(
    tmp_path: Path, lines: str | None, has_result: bool
) -> None:
    if lines is not None:
        (tmp_path / "journal.ndjson").write_text(lines)
    assert LeftRun(tmp_path, "repository", "", "base").has_result is has_result


def test_the_watcher_keeps_a_result_without_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "SALVAGE_SECONDS", 0.0)
    monkeypatch.setattr(watcher, "KEEP_SECONDS", 0.5)
    folder = tmp_path / "runs" / RUN
    folder.mkdir(parents=True)
    run = LeftRun(folder, "repository", "", "base")
    times = []
    for line in ('{"begun":true}', '{"result":{}}'):
        (folder / "journal.ndjson").write_text(f"{line}\n")
        began = time.monotonic()
        watcher._keep(run)
        times.append(time.monotonic() - began)
    assert times[0] < 0.5 <= times[1]
