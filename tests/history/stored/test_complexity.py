import json
import sys

import pytest

from sidecar.history.stored.complexity import MAX_TEXT, MAX_VALUES, char_bytes, is_too_complex, is_too_wide
from sidecar.history.stored.parsing import value_of

_MANY = b"[" + b"[]," * MAX_VALUES + b"[]]"


def test_json_of_many_parts_is_not_decoded() -> None:
    assert is_too_complex(_MANY)
    assert is_too_complex(_MANY.decode())
    assert value_of(_MANY) is None


@pytest.mark.parametrize(
    "json",
    [
        b'["' + b"x" * 2 * MAX_VALUES + b'"]',
        b"[" + b"[]," * 1_000 + b"[]]",
        b"[" + b"1," * MAX_VALUES + b"1]",
        b'["' + rb"{\n" * MAX_VALUES + b'"]',
    ],
    ids=["a long text", "small", "many numbers", "code"],
)
def test_other_json_is_decoded(json: bytes) -> None:
    assert not is_too_complex(json)
    assert isinstance(value_of(json), list)


@pytest.mark.parametrize("text", ["word", "Käse", "слово", "語", "ok 😀", "\x7f", "a\\b"])
@pytest.mark.parametrize("escaped", [False, True])
def test_the_bytes_of_characters_are_those_of_the_decoded_text(text: str, escaped: bool) -> None:
    encoded = json.dumps(text, ensure_ascii=escaped).encode()
    taken = sys.getsizeof(text * 1_000) / len(text * 1_000)
    assert char_bytes(encoded) == round(taken)


def test_a_long_text_with_one_wide_character_is_too_wide() -> None:
    half = b"x" * (MAX_TEXT // 2)
    assert not is_too_wide(half)
    assert is_too_wide(half + "😀".encode())
    assert not is_too_wide(b"x" * (MAX_TEXT // 4 - 4) + "😀".encode())
