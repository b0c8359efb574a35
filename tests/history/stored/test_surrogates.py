"""Escapes of half a surrogate pair become U+FFFD, and nothing else changes."""

import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sidecar.history.stored.surrogates import without_halves

TEXTS = st.text(st.one_of(st.sampled_from('\\"u\ud83d\ude00dn'), st.characters()), max_size=20)


@given(TEXTS)
def test_whole_characters_stay_and_halves_are_replaced(text: str) -> None:
    mended = without_halves(json.dumps({"text": text}).encode())
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert msgspec.json.decode(mended) == {"text": expected}


def test_an_escaped_backslash_begins_no_escape() -> None:
    assert without_halves(rb'"\\ud83d \\\ud83d"') == rb'"\\ud83d \\\ufffd"'
    assert without_halves(rb'"\\ud83d\ude00"') == rb'"\\ud83d\ufffd"'


def test_json_without_halves_is_not_copied() -> None:
    data = rb'"\ud83d\ude00"'
    assert without_halves(data) is data
