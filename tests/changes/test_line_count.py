import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.changes import line_count
from sidecar.changes.line_count import count_lines

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d\r"]), max_size=12)


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def longest_common(one: list[str], other: list[str]) -> int:
    """Compute the textbook table, which is slow but certainly correct."""
    row = [0] * (len(other) + 1)
    for line in one:
        above, row = row, [0]
        for at, against in enumerate(other):
            row.append(above[at] + 1 if line == against else max(above[at + 1], row[at]))
    return row[-1]


@pytest.mark.parametrize(
    ("old", "new", "counted"),
    [
        ("", "", (0, 0)),
        ("", "a\nb\n", (2, 0)),
        ("a\nb\n", "", (0, 2)),
        ("a\nb\nc\n", "a\nx\nc\n", (1, 1)),
        ("a\nb", "a\nb\n", (0, 0)),
        ("x = 1", "x = 2", (1, 1)),
        ("a\n", "a\n\n\n", (2, 0)),
        ("a\n", "a\r\n", (1, 1)),
        ("a\x0bb\u2028c\n", "a\n", (1, 1)),
    ],
)
def test_lines_are_counted(old: str, new: str, counted: tuple[int, int]) -> None:
    assert count_lines(old, new) == counted


@given(LINES, LINES)
def test_the_counts_are_the_smallest_possible(old: list[str], new: list[str]) -> None:
    kept = longest_common(old, new)
    assert count_lines(text(old), text(new)) == (len(new) - kept, len(old) - kept)


@given(LINES, LINES)
def test_the_reverse_change_swaps_the_counts(old: list[str], new: list[str]) -> None:
    assert count_lines(text(old), text(new)) == count_lines(text(new), text(old))[::-1]


@given(st.lists(st.sampled_from("abcd"), max_size=200), st.lists(st.sampled_from("abcd"), max_size=200))
def test_a_search_without_time_to_finish_counts_a_valid_change(old: list[str], new: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(line_count, "_FEW_STEPS", 3)
        patched.setattr(line_count, "_MANY_STEPS", 20)
        additions, deletions = count_lines(text(old), text(new))
    least = len(new) - longest_common(old, new)
    assert least <= additions <= len(new)
    assert additions - deletions == len(new) - len(old)


def test_scattered_edits_of_a_large_file_are_counted_exactly() -> None:
    old = [f"line {number}" for number in range(15_000)]
    new = [f"{line} changed" if number % 10 == 0 else line for number, line in enumerate(old)]
    assert count_lines(text(old), text(new)) == (1_500, 1_500)


@pytest.mark.parametrize("lines", [20_000, 200_000])
def test_a_rewrite_of_a_large_file_takes_few_steps(lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    slide = line_count._slide

    def counting(*given: object) -> int:
        nonlocal compared
        compared += 1
        return slide(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(line_count, "_slide", counting)
    old, new = ("".join(f"{word} {number}\n" for number in range(lines)) for word in ("old", "new"))
    assert count_lines(old, new) == (lines, lines)
    assert compared <= 1_200


def test_lines_in_another_order_count_on_both_sides() -> None:
    old = [str(number) for number in range(5_000)]
    new = random.Random(1).sample(old, len(old))
    additions, deletions = count_lines(text(old), text(new))
    assert 0 < additions == deletions <= 5_000


def test_counts_agree_with_git(tmp_path: Path) -> None:
    old = Path(line_count.__file__).read_text()
    new = old.replace("steps", "moves").replace("    return kept\n", "")
    for name, content in (("old", old), ("new", new)):
        (tmp_path / name).write_text(content)
    command = ["git", "diff", "--no-index", "--minimal", "--numstat", "old", "new"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False)
    assert tuple(int(word) for word in shown.stdout.split()[:2]) == count_lines(old, new)
