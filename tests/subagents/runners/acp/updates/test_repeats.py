"""Answers begun again: dropped word for word, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.acp.updates.messages import Repeats


def shown(*messages: list[str]) -> tuple[list[str], int]:
    """Return what is shown of messages that follow each other, and how often a repetition was reported."""
    repeats, reported, texts = Repeats(), 0, list[str]()
    for pieces in messages:
        reported += repeats.begin()
        texts.append("")
        for piece in pieces:
            text, is_repeated = repeats.feed(piece)
            texts[-1] += text
            reported += is_repeated
    texts[-1] += repeats.interrupt()
    return texts, reported


def test_a_whole_answer_that_comes_again_is_reported_each_time() -> None:
    texts, reported = shown(["hel", "lo"], ["hello"], ["he", "llo"])
    assert reported == 2
    assert texts[:2] == ["hello", ""]


def test_a_beginning_that_comes_again_is_reported_when_it_breaks_again() -> None:
    assert shown(["hello"], ["he"], ["hel"], ["bye"]) == (["hello", "", "", "bye"], 2)


def test_another_message_with_the_same_beginning_is_shown_whole() -> None:
    assert shown(["I look."], ["I ", "see."]) == (["I look.", "I see."], 0)


def test_a_message_after_other_work_is_never_a_repetition() -> None:
    repeats = Repeats()
    repeats.begin()
    repeats.feed("done")
    repeats.interrupt()
    repeats.begin()
    assert repeats.feed("done") == ("done", False)


@given(
    st.lists(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=3), min_size=1, max_size=5)
)
def test_every_message_is_shown_whole_or_dropped_as_the_beginning_of_another(
    messages: list[list[str]],
) -> None:
    texts, _ = shown(*messages)
    whole = ["".join(pieces) for pieces in messages]
    for place, (printed, text) in enumerate(zip(whole, texts, strict=True)):
        is_repeated = any(other.startswith(printed) for other in whole[:place])
        assert text == printed or (text == "" and is_repeated)
