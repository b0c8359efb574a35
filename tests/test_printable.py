"""Characters without a shape do not reach a terminal."""

import pytest

from sidecar.printable import plain, printable, printable_json

UNSEEN = "\u200b\u200d\u2060\u00ad\u061c\u200f\U000e0041\u115f\u1160\u2800\u3164\uffa0\U000e0101"


@pytest.mark.parametrize("char", UNSEEN)
def test_a_character_without_a_shape_is_shown_as_one_that_has_one(char: str) -> None:
    assert printable(f"rm{char}x\n") == "rm\ufffdx\n"
    assert plain(f"rm{char}x") == "rm x"
    assert printable_json(f'"rm{char}x"').isascii()


@pytest.mark.parametrize("text", ["plain", "größer 한국어 日本語", "\u2764\ufe0f"])
def test_visible_text_stays(text: str) -> None:
    assert printable(text) == plain(text) == text
