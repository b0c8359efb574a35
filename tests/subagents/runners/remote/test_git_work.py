"""A cancel stops the git of work in a thread, which may pack a large repository for minutes."""

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from sidecar.subagents.runners.remote.git import GitError, git
from sidecar.subagents.runners.remote.git_work import WorkStopped, in_thread

pytestmark = pytest.mark.timeout(60)


def reading(file: Path) -> list[psutil.Process]:
    """Return the processes of git that read a file."""
    return [each for each in psutil.Process().children() if str(file) in each.cmdline()]


async def test_a_cancel_stops_git_and_what_would_follow(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    endless = tmp_path / "endless"
    os.mkfifo(endless)
    ends: list[str] = []

    def work() -> None:
        for _ in range(2):
            try:
                git(tmp_path, "hash-object", "--", str(endless))
            except (GitError, WorkStopped) as error:
                ends.append(type(error).__name__)

    working = asyncio.create_task(in_thread(work))
    while not reading(endless):
        await asyncio.sleep(0.01)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    while len(ends) < 2:
        await asyncio.sleep(0.01)
    assert ends == ["GitError", "WorkStopped"] and not reading(endless)


async def test_work_in_a_thread_returns_what_git_says(tmp_path: Path) -> None:
    assert await in_thread(git, tmp_path, "hash-object", "--stdin", stdin=b"") == (
        b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n"
    )


def test_git_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    endless = tmp_path / "endless"
    os.mkfifo(endless)
    with pytest.raises(GitError, match=r"did not end within 0 s"):
        git(tmp_path, "hash-object", "--", str(endless), timeout=0.1)
    assert not reading(endless)
