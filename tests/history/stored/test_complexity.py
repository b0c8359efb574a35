import pytest

from sidecar.history.stored.complexity import MAX_VALUES, is_too_complex
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
