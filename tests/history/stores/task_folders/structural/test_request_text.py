import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.history.stores.task_folders.structural.request_text import without_prompt

PIECES = ['"', "\\", ",", " ", "a", "\n", "é", '","', '", "', ":", "}"]
PROMPTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
FIGURES = {"tokensIn": 7, "tokensOut": 3, "cost": 0.25}


def encoded(record: object, spaced: bool = False) -> bytes:
    """The text of a request message as it is in the file."""
    separators = (", ", ": ") if spaced else (",", ":")
    inner = json.dumps(record, separators=separators, ensure_ascii=False)
    return json.dumps(inner, ensure_ascii=False).encode()


@settings(max_examples=60)
@given(PROMPTS, PROMPTS, st.booleans())
def test_all_but_the_prompt_is_kept(prompt: str, reason: str, spaced: bool) -> None:
    rest = {**FIGURES, "cancelReason": reason}
    text = encoded({"request": prompt + "x" * 600, **rest}, spaced)
    found = json.loads(json.loads(without_prompt(text)))
    assert {name: found[name] for name in rest} == rest


@settings(max_examples=60)
@given(PROMPTS)
def test_a_prompt_that_ends_in_anything_is_cut_or_kept_whole(prompt: str) -> None:
    record = {"request": "x" * 600 + prompt, **FIGURES}
    assert json.loads(json.loads(without_prompt(encoded(record)))) in (FIGURES, record)


def test_a_long_prompt_is_cut() -> None:
    text = encoded({"request": 'say "hi", "you"' * 100, **FIGURES})
    assert len(without_prompt(text)) < 100


@pytest.mark.parametrize(
    "record",
    [{"request": "x" * 600}, {"request": {"a": "x" * 600}, **FIGURES}, {**FIGURES, "request": "x" * 600}, []],
)
def test_other_texts_stay_as_they_are(record: object) -> None:
    assert without_prompt(encoded(record)) == encoded(record)


def test_a_text_full_of_backslashes_is_given_up_soon() -> None:
    text = rb'"{\"request\":\"' + rb"\\\",\"" * 100_000 + b'"'
    assert without_prompt(text) == text
