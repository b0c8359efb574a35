"""What a client sends before `initialize`, while nobody knows its root yet."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from sidecar.host.attach.early_messages import read_until_initialize
from sidecar.rpc.transport.framing import FrameDecoder, encode_frame
from tests.host.standard import standard


class Pipes:
    """The standard input and output of the test's process, as a client holds them."""

    def __init__(self) -> None:
        self._input, self.to_sidecar = os.pipe()
        self.from_sidecar, self._output = os.pipe()

    def read(self, received: bytes) -> tuple[str, bytes] | None:
        """Read these bytes, then the input, until `initialize`."""
        with standard(self._input, self._output):
            return read_until_initialize(received)

    def end(self) -> None:
        """Close the input."""
        if self.to_sidecar >= 0:
            os.close(self.to_sidecar)
            self.to_sidecar = -1

    def answers(self) -> list[Any]:
        """Return what was answered so far."""
        os.set_blocking(self.from_sidecar, False)
        try:
            return [json.loads(frame) for frame in FrameDecoder().feed(os.read(self.from_sidecar, 65536))]
        except BlockingIOError:
            return []

    def close(self) -> None:
        self.end()
        for each in (self._input, self._output, self.from_sidecar):
            os.close(each)


@pytest.fixture
def pipes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipes]:
    monkeypatch.setenv("SIDECAR_STORAGE_ROOT", "/default/root")
    pipes = Pipes()
    yield pipes
    pipes.close()


def message(method: str, params: Any = None, **more: Any) -> bytes:
    given = {} if params is None else {"params": params}
    return encode_frame(json.dumps({"jsonrpc": "2.0", "method": method, **given, **more}).encode())


def test_requests_before_initialize_get_an_error_and_notifications_none(pipes: Pipes) -> None:
    early = message("tasks/list", id="a") + message("workspace/didGrantTrust") + encode_frame(b"{")
    begin = message("initialize", {"storageRoot": "/own"}, id=1)
    assert pipes.read(early + begin) == ("/own", begin)
    answers = pipes.answers()
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [("a", -32002), (None, -32700)]


@pytest.mark.parametrize("cut", range(0, 120, 7))
def test_what_follows_initialize_is_passed_on_even_if_it_is_cut(pipes: Pipes, cut: int) -> None:
    begin = message("initialize", {"storageRoot": "/own"}, id=1)
    follow = message("health", id=2) + message("tasks/list", {"query": "é"}, id=3)
    found = pipes.read(begin + follow[:cut])
    assert found is not None
    frames = FrameDecoder().feed(found[1] + follow[cut:])
    assert [json.loads(frame)["id"] for frame in frames] == [1, 2, 3]


def test_an_initialize_in_pieces_is_waited_for(pipes: Pipes) -> None:
    begin = message("initialize", {"storageRoot": "/own"}, id=1)
    os.write(pipes.to_sidecar, begin[5:])
    assert pipes.read(begin[:5]) == ("/own", begin)


@pytest.mark.parametrize("params", [None, [], {"storageRoot": 7}, {"storageRoot": "relative"}, {}])
def test_a_client_that_names_no_usable_root_gets_the_default(pipes: Pipes, params: Any) -> None:
    found = pipes.read(message("initialize", params, id=1))
    assert found is not None
    assert found[0] == "/default/root"


def test_a_client_may_leave_first(pipes: Pipes) -> None:
    assert pipes.read(message("exit")) is None
    pipes.end()
    assert pipes.read(message("tasks/list", id=1)) is None
    assert pipes.read(b"") is None


def test_an_input_without_frames_is_reported(pipes: Pipes, capsys: pytest.CaptureFixture[str]) -> None:
    assert pipes.read(b"GET / HTTP/1.1\r\n\r\n") is None
    assert capsys.readouterr().err.startswith("framing error: ")
