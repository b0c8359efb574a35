"""The check of commit subjects, on real repositories."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.commit_subjects import long_subjects

REPO = Path(__file__).parents[1]
AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *AUTHOR, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    return tmp_path


def commit(repository: Path, message: str) -> str:
    """Make a commit, and return its short name."""
    git(repository, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(repository, "rev-parse", "--short", "HEAD")


def test_a_subject_of_72_characters_is_fine_whatever_follows_it(repository: Path) -> None:
    commit(repository, f"{'ü' * 72}\n\n{'x' * 100}")
    assert long_subjects(str(repository)) == []


def test_a_longer_subject_is_named_with_its_commit_and_the_limit(repository: Path) -> None:
    name = commit(repository, "x" * 73)
    commit(repository, "Mend it")
    assert long_subjects(str(repository)) == [
        f"The subject of commit {name} has 73 characters, 72 are allowed: {'x' * 73}"
    ]


def test_the_subject_that_github_gives_to_a_merge_is_left_out(repository: Path) -> None:
    commit(repository, f"Merge {'a' * 40} into {'b' * 40}")
    assert long_subjects(str(repository)) == []


def test_commits_before_the_newest_twenty_are_left_alone(repository: Path) -> None:
    commit(repository, "x" * 73)
    for number in range(20):
        commit(repository, f"Add part {number}")
    assert long_subjects(str(repository)) == []


def test_a_shallow_clone_is_checked_as_far_as_it_goes(repository: Path, tmp_path: Path) -> None:
    commit(repository, "Begin")
    name = commit(repository, "x" * 73)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", str(clone))
    command = [sys.executable, "-m", "scripts.commit_subjects", str(clone)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert name in done.stderr
    assert "reword" in done.stderr


def test_scripts_check_runs_it() -> None:
    assert "python -m scripts.commit_subjects\n" in (REPO / "scripts" / "check").read_text()
