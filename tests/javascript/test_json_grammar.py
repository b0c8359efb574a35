"""The grammar of JSON agrees with Python's strict reader, and goes deeper."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecar.javascript.json_grammar import is_json

_TOKENS = st.sampled_from("{}[],:") | st.sampled_from(
    ["[]", "{}", '{"k":', '"a"', '"\\n"', "1", "-0.5e+3", "true"]
)
_MISTAKES = st.sampled_from(['"\\x"', '"\n"', '"', "\\", "01", ".5", "1.", "nul", "NaN", "\xa0", "\u2028"])
_PIECES = _TOKENS | _TOKENS | st.sampled_from([" ", "\t\r\n"]) | _MISTAKES


def _python_takes(text: str) -> bool:
    try:
        json.loads(text, parse_constant=int)
    except ValueError:
        return False
    return True


@given(st.lists(_PIECES, max_size=12).map("".join))
@example("[[],{}]")
@example('{"a":1,"b":[2,{"c":[]}]}')
@example("[1,]")
@example('{"a":1,}')
@example("[{]}")
@example("1,2")
@example("")
def test_it_takes_what_a_strict_reader_takes(text: str) -> None:
    assert is_json(text) == _python_takes(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda values: st.lists(values) | st.dictionaries(st.text(), values),
        max_leaves=10,
    ),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_it_takes_what_a_writer_writes(value: object, indent: int | None, ascii_only: bool) -> None:
    assert is_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only))


@pytest.mark.parametrize("text", ["[" * 50_000 + "]" * 50_000, '{"a":[' * 30_000 + "1" + "]}" * 30_000])
def test_depth_has_no_limit(text: str) -> None:
    assert is_json(text)
    assert not is_json(text[:-1])
    assert not is_json(text[:-1] + ",")
    assert not is_json(text + "]")
    assert not is_json(text.replace("]", "}", 1))
