"""Ignore rules give the same result as git."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.subagents.runners.builtin.tools.listing import files_below


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "core.excludesFile=", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, timeout=30).stdout


def make(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def seen_by_git(root: Path) -> list[str]:
    return sorted(filter(None, git(root, "ls-files", "-co", "--exclude-standard", "-z").split("\0")))


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q")
    return root


def test_rules_of_all_folders_and_of_the_repository_apply(repository: Path) -> None:
    make(
        repository,
        {
            ".git/info/exclude": "secret.txt\n",
            ".gitignore": "# build\n*.log\n/only-top\nbuild/\n!keep.log\ndocs/**/*.tmp\n",
            "a.log": "",
            "keep.log": "",
            "only-top": "",
            "sub/only-top": "",
            "build/out.js": "",
            "sub/build/out.js": "",
            "sub/.gitignore": "!b.log\nkeep.log\n*.bin\n",
            "sub/b.log": "",
            "sub/keep.log": "",
            "sub/deep/c.bin": "",
            "c.bin": "",
            "docs/x/y.tmp": "",
            "docs/y.txt": "",
            "secret.txt": "",
            "sub/secret.txt": "",
        },
    )
    expected = [
        ".gitignore", "c.bin", "docs/y.txt", "keep.log", "sub/.gitignore", "sub/b.log", "sub/only-top",
    ]  # fmt: skip
    assert sorted(files_below(repository)) == expected == seen_by_git(repository)


def test_rules_of_parent_folders_apply(repository: Path) -> None:
    make(repository, {".gitignore": "*.log\n/sub/gone\n", "sub/a.log": "", "sub/a": "", "sub/gone": ""})
    assert list(files_below(repository / "sub")) == ["a"]


def test_an_ignored_folder_is_walked_if_it_is_named(repository: Path) -> None:
    make(repository, {".gitignore": "build/\n", "build/a": "", "build/.gitignore": "b\n", "build/b": ""})
    assert list(files_below(repository / "build")) == [".gitignore", "a"]


def test_the_exclude_file_applies_in_a_linked_work_tree(repository: Path) -> None:
    make(repository, {".git/info/exclude": "x\n", "a": ""})
    git(repository, "add", "a")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
    git(repository, "worktree", "add", "-q", str(repository.parent / "linked"))
    linked = repository.parent / "linked"
    make(linked, {"x": "", "y": ""})
    assert [path for path in files_below(linked) if path != ".git"] == ["a", "y"]
    (repository.parent / "alias").symlink_to(repository)
    (linked / ".git").write_text((linked / ".git").read_text().replace("/root/", "/alias/"))
    assert [path for path in files_below(linked) if path != ".git"] == ["a", "y"]


def test_rules_apply_without_a_repository(root: Path) -> None:
    make(root, {".gitignore": "*.log\n", "a.log": "", "a": ""})
    assert list(files_below(root)) == [".gitignore", "a"]


def test_a_rule_with_a_bracket_in_brackets_is_read_without_a_warning(root: Path) -> None:
    make(root, {".gitignore": "[[]\n", "[": "", "a": ""})
    assert list(files_below(root)) == [".gitignore", "a"]


_NAMES = ["a", "b", "ab", "d/a", "d/b", "d/e/a", "d/e/b", "e/ab"]
_LINE = st.lists(
    st.sampled_from(["a", "b", "d", "e", "/", "*", "**", "!", "?", "\\", "[", "]", " "]), max_size=5
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=st.lists(_LINE, max_size=4), inner=st.lists(_LINE, max_size=3))
def test_any_rules_can_be_read_and_plain_ones_agree_with_git(
    repository: Path, top: list[list[str]], inner: list[list[str]]
) -> None:
    files = dict.fromkeys(_NAMES, "")
    for name, rules in ((".gitignore", top), ("d/.gitignore", inner)):
        files[name] = "".join(f"{''.join(rule)}\n" for rule in rules)
    make(repository, files)
    found = sorted(files_below(repository))
    if not {"\\", "[", "]", " ", "**", "!"} & {sign for rule in (*top, *inner) for sign in rule}:
        assert found == seen_by_git(repository)
