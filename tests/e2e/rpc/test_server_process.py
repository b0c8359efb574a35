"""The wire as a client sees it: raw bytes to a real process and back."""

import json
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.transport.framing import MAX_BODY_BYTES
from tests.rpc.wire import SERVER, RawServer, call, frames, note, server_environment


def error_of(answer: Any) -> tuple[Any, int]:
    return answer["id"], answer["error"]["code"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"{broken", (None, -32700)),
        (b"", (None, -32700)),
        ([call(1, "echo")], (None, -32600)),
        ({"id": 1, "method": "echo"}, (1, -32600)),
        ({"jsonrpc": "2.0", "id": None, "method": "echo"}, (None, -32600)),
        ({"jsonrpc": "2.0", "id": "a", "method": "echo", "params": [1]}, ("a", -32602)),
        ({"jsonrpc": "2.0", "id": "a", "method": "echo", "params": 1}, ("a", -32602)),
        (call(1, "echo", valu=1), (1, -32602)),
        (call(1, "sleep"), (1, -32602)),
        (call(1, "unknown"), (1, -32601)),
        (call(1, "$/unknown"), (1, -32601)),
        (call(1, "exit", count=0), (1, -32601)),
        (call(1, "awkward", value="set"), (1, -32603)),
        (call(1, "awkward", value="object"), (1, -32603)),
        (call(1, "refuse"), (1, -32017)),
    ],
)
def test_a_faulty_message_gets_its_one_answer_and_the_next_is_served(
    shared_server: RawServer, message: Any, expected: tuple[Any, int]
) -> None:
    assert error_of(shared_server.ask(message)) == expected
    assert shared_server.ask(call("next", "echo", value="still here"))["result"] == "still here"


@pytest.mark.parametrize("message_id", [0, -7, "", "ü", 2**53 + 1, 2**70])
def test_ids_are_echoed_exactly(shared_server: RawServer, message_id: Any) -> None:
    assert shared_server.ask({"jsonrpc": "2.0", "id": message_id, "method": "echo"})["id"] == message_id


@pytest.mark.parametrize(
    "value",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "session/update", "params": {"jsonrpc": "2.0"}},
        {"6f1c0f5e-52b7-4d5e-9c1e-0d9c1f6f8a11": {"type_name": "x"}, "class": 1, "_0": 2},
        "lone \ud83d surrogate",
        ["\u2028", "\x00", "é漢😀"],
    ],
)
def test_values_survive_the_way_there_and_back(shared_server: RawServer, value: Any) -> None:
    assert shared_server.ask(call(1, "echo", value=value))["result"] == value


def test_awkward_results_are_answered(shared_server: RawServer) -> None:
    row = {"rowId": 1, "title": "\ud83d"}
    expected = {"surrogate": "\ud83d", "surrogateRow": [row], "bigInteger": 2**70, "nan": None}
    for kind, value in expected.items():
        assert shared_server.ask(call(kind, "awkward", value=kind))["result"] == value


def test_a_failure_shows_no_traceback_and_no_path(shared_server: RawServer) -> None:
    answer = json.dumps(shared_server.ask(call(1, "fail")))
    assert "correlation id" in answer
    assert not any(word in answer for word in ("Traceback", ".py", "secret", "/"))


def test_prints_and_children_do_not_reach_the_wire(server: RawServer) -> None:
    assert server.ask(call(1, "pollute"))["result"] == "child ended with 0"
    assert server.ask(call(2, "echo", value=1)) == {"jsonrpc": "2.0", "id": 2, "result": 1}
    server.finish()
    errors = server.errors()
    assert all(text in errors for text in ("stray print", "stray write", "from a child"))


def test_messages_may_come_in_any_pieces_and_with_any_header_case(server: RawServer) -> None:
    stream = frames(call(1, "echo"), call(2, "echo")).replace(b"Content-Length", b"content-length")
    for position in range(0, len(stream), 7):
        server.write(stream[position : position + 7])
    assert {server.read()["id"], server.read()["id"]} == {1, 2}


@pytest.mark.parametrize(
    "stream",
    [
        b"Content-Length: 99999999999999\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1),
        b"Content-Lenght: 2\r\n\r\n{}",
        b"X: " + b"x" * 8192,
        b'{"jsonrpc":"2.0","id":1,"method":"echo"}\n',
    ],
)
def test_a_framing_error_ends_it_with_a_line_and_status_1(server: RawServer, stream: bytes) -> None:
    server.write(frames(call(1, "echo")) + stream)
    assert server.read()["id"] == 1
    assert server.process.wait(5) == 1
    (line,) = server.errors().splitlines()
    assert line.startswith("framing error: ")


def test_a_body_of_several_megabytes_comes_and_goes(server: RawServer) -> None:
    value = "x" * 5_000_000
    sender = threading.Thread(target=server.send, args=(call(1, "echo", value=value),))
    sender.start()
    assert server.read()["result"] == value
    sender.join(5)


def test_a_client_that_does_not_read_freezes_nothing(server: RawServer) -> None:
    server.send(
        call("flood", "flood", count=5000), call("rows", "rows", count=5000), call("wait", "sleep", count=30)
    )
    server.send(note("$/cancelRequest", id="wait"), note("note", value="seen while the pipe was full"))
    server.send(call("notes", "notes"))
    answers: dict[Any, Any] = {}
    while len(answers) < 4:
        message = server.read()
        if "id" in message:
            answers[message["id"]] = message
    assert error_of(answers["wait"]) == ("wait", -32800)
    assert answers["notes"]["result"] == ["seen while the pipe was full"]
    assert len(answers["rows"]["result"]["items"]) == 5000


def test_a_client_that_never_reads_and_hangs_up_does_not_keep_it(server: RawServer) -> None:
    server.send(call(1, "flood", count=5000), call(2, "rows", count=20000), call(3, "rows", count=20000))
    server.send(*(call(number, "unknown") for number in range(500)))
    assert server.finish(seconds=30) == 1


def test_eight_blocked_threads_do_not_starve_the_wire(server: RawServer) -> None:
    server.send(*(call(number, "block") for number in range(8)))
    # The first answer that comes is not one of the eight, which take seconds.
    assert server.ask(call("quick", "echo", value=1))["id"] == "quick"


def test_the_end_of_input_ends_it_in_the_middle_of_a_long_request(server: RawServer) -> None:
    server.send(call("long", "sleep", count=30), call("stubborn", "swallow"))
    assert server.ask(call("ready", "echo"))["id"] == "ready"
    started = time.monotonic()
    assert server.finish() == 1
    assert time.monotonic() - started < 3
    answers = [server.read(), server.read()]
    assert {answer["id"] for answer in answers} == {"long", "stubborn"}


def test_an_exit_that_was_asked_for_gives_its_code(server: RawServer) -> None:
    server.send(call(1, "echo"), note("exit", count=0))
    assert server.read()["id"] == 1
    assert server.process.wait(5) == 0


def test_its_own_requests_are_answered_by_the_client(server: RawServer) -> None:
    server.send(call(1, "ask", value="question"))
    asked = server.read()
    assert (asked["method"], asked["params"]) == ("client/ask", {"value": "question"})
    assert server.ask({"jsonrpc": "2.0", "id": asked["id"], "result": "answer"})["result"] == "answer"


def test_standard_input_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "requests").write_bytes(frames(call(1, "echo", value="from a file")))
    with open(tmp_path / "requests", "rb") as requests:
        done = subprocess.run(
            SERVER, stdin=requests, capture_output=True, env=server_environment(), timeout=10
        )
    assert b"from a file" in done.stdout and done.returncode == 1
