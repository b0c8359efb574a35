"""What people read is plain American English: see the style section of docs/glossary.md."""

import pytest

from tests.language.__main__ import ALL
from tests.language.allowed import ALLOWED
from tests.language.scan import REPOSITORY, findings, in_text


@pytest.mark.parametrize("place", ALL)
def test_no_idiom_is_used(place: str) -> None:
    assert list(map(str, findings([place]))) == []


def test_every_exception_is_still_needed() -> None:
    assert [entry for entry in ALLOWED if entry.text not in (REPOSITORY / entry.path).read_text()] == []


@pytest.mark.parametrize(
    "text",
    [
        "It is no object.",
        "# a file that goes\n    # on after its end",
        " * stands\n",
        'f"a file that goes "\n    f"on after its end"',
        "`a file that goes ` +\n  `on after its end`",
        "was_told = True",
        "const lastNews = 1",
        "SQLITE_FAULTS",
        "the behaviour",
        "if unhonoured:",
    ],
)
def test_an_idiom_is_found_in_prose_and_in_names(text: str) -> None:
    assert len(list(in_text(text))) == 1


@pytest.mark.parametrize(
    "text",
    ["there is no limit", "it is no longer there", "understand default layout", "SAIDAN toldo", "an -ise"],
)
def test_longer_words_and_common_phrases_are_fine(text: str) -> None:
    assert list(in_text(text)) == []


def test_a_finding_names_the_line_on_which_the_words_begin() -> None:
    assert next(in_text("one\ntwo goes\non"))[:2] == (2, "goes on")
