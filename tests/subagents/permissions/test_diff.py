"""Changes as a unified diff, which a tool can apply, in bounded time and length."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.subagents.permissions.diff import unified
from sidecar.subagents.permissions.question import FileChange
from sidecar.subagents.permissions.shortening import DIFF_CHARS
from tests.bounded import bounded

texts = st.lists(st.sampled_from("abc"), max_size=40).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts, texts)
def test_git_makes_the_new_file_of_the_old_one(tmp_path: Path, old: str, new: str) -> None:
    diff, file = unified([FileChange("f", old, new)]), tmp_path / "f"
    file.write_text(old)
    if diff is not None:
        command = ["git", "apply", "--unidiff-zero", "-"]
        subprocess.run(command, cwd=tmp_path, input=f"{diff}\n", text=True, check=True, timeout=10)
    assert file.read_text() == new


def test_a_new_file_has_no_old_side() -> None:
    assert unified([FileChange("a", None, "x\n")]) == "--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x"


def test_far_changes_are_hunks_of_their_own() -> None:
    lines = [f"{number}\n" for number in range(100)]
    new = [*lines[:5], "x\n", *lines[6:90], "y\n", *lines[91:]]
    diff = unified([FileChange("a", "".join(lines), "".join(new))]) or ""
    assert [line for line in diff.split("\n") if line.startswith("@@")] == [
        "@@ -3,7 +3,7 @@",
        "@@ -88,7 +88,7 @@",
    ]


def test_a_file_that_stays_as_it_is_has_no_diff() -> None:
    assert unified([FileChange("a", "x\n", "x\n")]) is None


@pytest.mark.parametrize("line", ["same\n", "{}\n"])
def test_huge_changes_are_cut_and_say_so_in_bounded_time(line: str) -> None:
    old = "".join(line.format(number) for number in range(100_000))
    new = "".join(line.format(number) for number in range(50_000, 120_000)) + "end\n"
    with bounded():
        diff = unified([FileChange("a", old, new)]) or ""
    assert len(diff) <= DIFF_CHARS
    assert "characters left out" in diff
    assert diff.endswith("+end")
