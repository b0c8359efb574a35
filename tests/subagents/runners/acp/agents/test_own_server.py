"""What the sidecar reads from the server that opencode runs for itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.acp.agents.own_server import OwnServer, free_port
from tests.agents.own_server import http_server

WORKSPACE = Path("/w")

Serve = Callable[..., OwnServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with this answer, and return how the sidecar knows it."""
    running = []

    def serve(answer: Any, password: str = "") -> OwnServer:
        known = OwnServer(free_port())
        assert known.port is not None
        running.append(http_server(known.port, password or known.password, answer))
        return known

    yield serve
    for each in running:
        each.shutdown()
        each.server_close()


def test_servers_that_do_not_work_are_named_with_their_error_or_state(serve: Serve) -> None:
    states = {
        "docs": {"status": "failed", "error": "Failed to get tools"},
        "tickets": {"status": "needs_auth"},
        "spare": {"status": "failed", "error": ""},
        "fine": {"status": "connected"},
        "off": {"status": "disabled"},
        "odd": {"status": 5},
        "none": None,
    }
    assert serve(states).failed_servers(WORKSPACE) == {
        "docs": "Failed to get tools",
        "tickets": "needs_auth",
        "spare": "failed",
    }


@pytest.mark.parametrize("answer", [b"no JSON", b"[]", b"", b"\xff", b"[" * 100_000])
def test_an_answer_of_another_kind_names_no_server(serve: Serve, answer: bytes) -> None:
    assert serve(answer).failed_servers(WORKSPACE) == {}


def test_a_server_with_another_password_names_no_server(serve: Serve) -> None:
    assert serve({"docs": {"status": "failed"}}, password="another").failed_servers(WORKSPACE) == {}


def test_a_server_that_is_not_there_or_not_known_names_no_server() -> None:
    assert OwnServer(free_port()).failed_servers(WORKSPACE) == {}
    assert OwnServer().failed_servers(WORKSPACE) == {}


def test_each_start_has_a_long_password_of_its_own_that_is_not_printed() -> None:
    first, second = OwnServer(), OwnServer()
    password = first.extras.env["OPENCODE_SERVER_PASSWORD"]
    assert len(password) > 40
    assert password != second.extras.env["OPENCODE_SERVER_PASSWORD"]
    assert password not in repr(first)
    assert first.extras.args == ()
    assert OwnServer(4711).extras.args == ("--port=4711",)
