"""The root of a client is read quickly where that is safe, else by the parser, with the same result."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.host.attach.early_messages import read_until_initialize
from sidecar.host.attach.root_of_client import _quick
from tests.host.standard import nothing

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["/r", "/a/é", "/a\\b", '/a"b', "rel", "", '"storageRoot":"/x"', '"initialize"', "/a\n"]),
)
NAMES = st.one_of(
    TEXTS, st.sampled_from(["storageRoot", "settings", "workspaceFolders", "params", "method", "initialize"])
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
PARAMS = st.one_of(
    VALUES, st.dictionaries(NAMES, VALUES, max_size=3), st.fixed_dictionaries({"storageRoot": TEXTS})
)


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def initialize(params: bytes) -> bytes:
    return frame(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":%b}' % params)


@pytest.fixture(autouse=True)
def default_root(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SIDECAR_STORAGE_ROOT", "/default/root")
    return "/default/root"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    params=PARAMS,
    method=st.sampled_from(["initialize", "initialized", "tasks/list"]),
    spaced=st.booleans(),
    ascii_only=st.booleans(),
    extra=st.dictionaries(NAMES, VALUES, max_size=2),
)
def test_the_quick_way_finds_the_same_root_or_none(
    params: Any, method: str, spaced: bool, ascii_only: bool, extra: dict[str, Any]
) -> None:
    message = {**extra, "jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    separators = (", ", ": ") if spaced else (",", ":")
    body = json.dumps(message, separators=separators, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogatepass"
    )
    quick = _quick(frame(body))
    if quick is not None:
        with nothing():
            slow = read_until_initialize(frame(body))
        assert slow is not None
        assert quick == slow[0]


@pytest.mark.parametrize(
    ("params", "root"),
    [
        ({"protocolVersion": 1}, "/default/root"),
        ({"storageRoot": "/own"}, "/own"),
        ({"clientInfo": {"name": "x", "version": "1"}, "storageRoot": "/é"}, "/é"),
    ],
)
def test_what_a_client_usually_sends_is_read_quickly(params: dict[str, Any], root: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    for text in (json.dumps(message, ensure_ascii=False), json.dumps(message, ensure_ascii=False, indent=1)):
        assert _quick(frame(text.encode())) == root


def test_a_member_of_that_name_elsewhere_is_not_the_root() -> None:
    assert _quick(initialize(b'{"settings":{"storageRoot":"/a"}}')) == "/default/root"
    assert _quick(initialize(b'{"x":"storageRoot","y":{"z":[{}]},"storageRoot":"/b"}')) == "/b"


@pytest.mark.parametrize(
    "received",
    [
        b"",
        b"Content-Length: 5\r\n\r\n",
        b"content-length: 2\r\n\r\n{}",
        initialize(b'{"storageRoot":"/a\\u0062"}'),
        initialize(b'{"storageRoot":"/a","storageRoot":"/b"}'),
        initialize(b'{"storageRoot":"/\xff"}'),
        initialize(b'{"storageRoot":7}'),
        initialize(b'[{"storageRoot":"/a"}]'),
        initialize(b'{"storageRoot":"/a"},"more":1'),
        frame(b'{"jsonrpc":"2.0","method":"initialize","params":{"storageRoot":"/a"}}'),
    ],
)
def test_what_is_unusual_is_left_to_the_parser(received: bytes) -> None:
    assert _quick(received) is None
