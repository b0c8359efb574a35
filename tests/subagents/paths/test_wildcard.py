"""Patterns with `*`, against an oracle and against time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.paths.wildcard import fits
from tests.bounded import bounded

few_letters = st.text("ab", max_size=12)
patterns = st.text("ab*", max_size=8)


@given(few_letters, patterns)
def test_a_star_stands_for_any_characters_and_nothing_else_is_special(text: str, pattern: str) -> None:
    oracle = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    assert fits(text, pattern) is (oracle.fullmatch(text) is not None)


@pytest.mark.parametrize(
    "pattern", ["*a*a*a*a*a*a*b", "*" * 2_000 + "b", "*" + "a" * 2_000 + "b*", "a*" * 2_000]
)
def test_a_long_text_takes_bounded_time(pattern: str) -> None:
    with bounded():
        fits("a" * 100_000, pattern)
