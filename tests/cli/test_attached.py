"""A command that cannot attach to the Host says why, in one sentence."""

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from sidecar.api.errors import InvalidParams, SidecarError
from sidecar.cli.client.attached import HostClient, HostEnded, attached
from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import INTERNAL_ERROR, REQUEST_CANCELLED, ConnectionClosed, RpcError

REFUSED = "version 3 cannot attach to the running Host"


@pytest.mark.parametrize(
    ("words", "reason"), [(f"subagent-sidecar: {REFUSED}\n", REFUSED), ("", "the Host has ended")]
)
async def test_the_reason_is_what_serve_says_last(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: str,
    reason: str,
) -> None:
    program = tmp_path / "serve"
    program.write_text(f"#!/bin/sh\nprintf %s '{words}' >&2\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(HostEnded) as ended:
        async with attached(tmp_path, {}):
            pass
    assert ended.value.message == reason
    assert capfd.readouterr().err == ""


class Failing:
    """A connection on which every request fails with the same error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def request(self, method: str, params: Any, timeout: float) -> Any:
        raise self._error

    async def last_words(self, seconds: float) -> str:
        return ""


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (ConnectionClosed("closed"), HostEnded),
        (RpcError(REQUEST_CANCELLED, "the request was cancelled"), HostEnded),
        (RpcError(InvalidParams.code, "no such run"), InvalidParams),
        (RpcError(INTERNAL_ERROR, "failed"), SidecarError),
    ],
)
async def test_a_failed_request_tells_an_ended_host_from_an_error(
    tmp_path: Path, error: Exception, raised: type[Exception]
) -> None:
    host = HostClient(cast("RpcClient", Failing(error)), tmp_path)
    with pytest.raises(SidecarError) as found:
        await host.request("asyncTasks/events")
    assert type(found.value) is raised
