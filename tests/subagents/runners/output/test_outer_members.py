"""The outer members of a message that is not parsed, from both of its ends."""

import pytest

from sidecar.subagents.runners.output.outer_members import BACK_BYTES, FRONT_BYTES, outer_members

_LONG = b"x" * (FRONT_BYTES + BACK_BYTES)


@pytest.mark.parametrize(
    ("line", "members"),
    [
        (
            b'{"jsonrpc":"2.0","id":1,"method":"m","params":{}}',
            {"jsonrpc": "2.0", "id": 1, "method": "m", "params": None},
        ),
        (b'{ "params" : [{"id":2}] , "id" : "a" }', {"params": None, "id": "a"}),
        (
            b'{"params":{"a":"' + _LONG + b'"},"method":"m", "id":-3}',
            {"params": None, "method": "m", "id": -3},
        ),
        (b'{"a":"' + _LONG + b'","id":1}', {"id": 1}),
        (b'{"params":{"a":"' + _LONG + b'","id":2}}', {"params": None}),
        (b'{"params":{"a":"' + _LONG + b',\\"id\\":2"}}', {"params": None}),
        (b'{"id":"\\"}","a":["]"],"b":true}', {"id": '"}', "a": None, "b": True}),
        (b"{}", {}),
        (b'{"a" [] }', {}),
        (b"", {}),
        (b"no message", {}),
    ],
)
def test_members_at_both_ends_are_found_and_nested_ones_are_not(line: bytes, members: object) -> None:
    assert outer_members(line, line) == members


@pytest.mark.parametrize("part", [b",", b'"', b"{", b"\\", b',"a":1', b',"', b'{"a":'])
def test_a_hostile_message_is_examined_in_bounded_time(part: bytes) -> None:
    line = b'{"id":1' + part * (FRONT_BYTES * 4 // len(part)) + b"}"
    assert outer_members(line, line).get("method") is None
