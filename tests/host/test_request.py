"""The bytes of a request: what is written can be read, and nothing else is accepted."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.host.attach.attaching import PROTOCOL, request_bytes
from sidecar.host.request import MAX_REQUEST_BYTES, HostRequest, decode

BYTES = st.binary(max_size=30).map(lambda raw: raw.replace(b"\0", b""))
RAW = BYTES.map(os.fsdecode)
NAMES = BYTES.map(lambda name: os.fsdecode(name.replace(b"=", b""))).filter(bool)
ENVIRONMENTS = st.dictionaries(NAMES, RAW, max_size=5)


@given(environment=ENVIRONMENTS, early=st.binary(max_size=50), value=RAW, rest=st.binary(max_size=9))
def test_a_request_is_read_as_it_was_written(
    environment: dict[str, str], early: bytes, value: str, rest: bytes
) -> None:
    written = request_bytes("attach", "1.2", {"config": value}, environment, early)
    options = {"config": value, "protocol": PROTOCOL}
    assert decode(written + rest) == HostRequest("attach", "1.2", options, environment, early)


@given(environment=ENVIRONMENTS, early=st.binary(max_size=50), data=st.data())
def test_a_cut_request_is_waited_for(environment: dict[str, str], early: bytes, data: st.DataObject) -> None:
    written = request_bytes("attach", "1", {}, environment, early)
    assert decode(written[: data.draw(st.integers(0, len(written) - 1))]) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_not_one_or_the_beginning_of_one(received: bytes) -> None:
    try:
        decode(received)
    except ValueError as error:
        assert len(str(error)) < 200


@pytest.mark.parametrize(
    "received",
    [
        b"x" * 40,
        b"1\n",
        b"a b\n",
        b"-5 5\nverb=",
        b"5 -5\nverb=",
        b"1_0 0\n",
        b"+5 0\n",
        b" 5 0\n",
        b"%d 0\n" % MAX_REQUEST_BYTES,
        b"%d %d\n" % (MAX_REQUEST_BYTES // 2, MAX_REQUEST_BYTES),
        b"9" * 30 + b" 1\n",
        b"4 0\nverb",
        b"9 0\nverb=stop",
        b"9 0\nversion=1",
    ],
)
def test_what_is_not_a_request_is_refused_before_it_is_received(received: bytes) -> None:
    with pytest.raises(ValueError):
        decode(received)


def test_variables_that_look_like_fields_stay_in_the_environment() -> None:
    environment = {"verb": "stop", "env.verb": "stop", "x": "a=b=c"}
    read = decode(request_bytes("status", "1", {}, environment))
    assert read is not None
    assert (read.verb, read.environment) == ("status", environment)
