"""Patterns of paths, against an oracle."""

import fnmatch

from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.paths.pattern import fits, fits_above

parts = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=6)
patterns = st.lists(st.sampled_from(["a", "*", "a*", "?", "**", "[ab]"]), max_size=5)


def oracle(path: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        shortest = 1 if len(pattern) == 1 else 0
        return any(oracle(path[skipped:], pattern[1:]) for skipped in range(shortest, len(path) + 1))
    return bool(path) and fnmatch.fnmatchcase(path[0], pattern[0]) and oracle(path[1:], pattern[1:])


@given(parts, patterns)
def test_two_stars_stand_for_any_folders_and_at_the_end_for_one_part_at_least(
    path: list[str], pattern: list[str]
) -> None:
    assert fits(path, pattern) is oracle(path, pattern)


@given(parts, patterns)
def test_a_file_fits_by_a_folder_above_it(path: list[str], pattern: list[str]) -> None:
    assert fits_above(path, pattern) is any(oracle(path[:end], pattern) for end in range(1, len(path) + 1))
