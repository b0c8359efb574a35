"""The lines of a run count once and in order, however they are delivered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.remote.run.sequence import LineSequence, SequenceGap


@given(
    total=st.integers(0, 60),
    last=st.integers(0, 60),
    batches=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=30),
)
def test_every_line_counts_once_and_in_order(total: int, last: int, batches: list[tuple[int, int]]) -> None:
    lines = [f"line {number}" for number in range(1, total + 1)]
    last = min(last, total)
    sequence, accepted = LineSequence(last), []
    for after, size in batches:
        try:
            accepted += list(sequence.accept(after, lines[after : after + size]))
        except SequenceGap:
            assert after > sequence.last
    assert accepted == list(enumerate(lines, 1))[last : sequence.last]


def test_a_gap_is_an_error_that_names_the_missing_lines() -> None:
    sequence = LineSequence(3)
    with pytest.raises(SequenceGap, match="lines 4 to 6"):
        list(sequence.accept(6, ["seventh"]))
    assert sequence.last == 3


def test_a_heartbeat_is_never_a_gap() -> None:
    assert list(LineSequence(3).accept(9, [])) == []
