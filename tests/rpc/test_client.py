import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sidecar.rpc.client import RpcClient
from sidecar.rpc.errors import ConnectionClosed, EncodingError, RpcError
from tests.rpc.wire import ROOT, SERVER, server_environment


@pytest.fixture
async def client() -> AsyncIterator[RpcClient]:
    async with await RpcClient.spawn(SERVER, env=server_environment(), stderr="collect") as client:
        yield client


def program(source: str) -> list[str]:
    return [sys.executable, "-c", source]


async def test_requests_bring_results_side_by_side(client: RpcClient) -> None:
    answers = await asyncio.gather(*(client.request("echo", {"value": number}) for number in range(50)))
    assert answers == list(range(50))


async def test_errors_of_the_server_are_raised(client: RpcClient) -> None:
    with pytest.raises(RpcError) as caught:
        await client.request("refuse")
    assert (caught.value.code, caught.value.data) == (-32017, {"status": "completed"})


async def test_a_request_given_up_is_cancelled_remotely(
    client: RpcClient, caplog: pytest.LogCaptureFixture
) -> None:
    for method, params in (("swallow", {}), ("sleep", {"count": 600})):
        with pytest.raises(TimeoutError):
            await client.request(method, params, timeout=0.05)
    for _ in range(2):  # the answer to the withdrawn one may come behind the first
        assert await client.request("echo", {"value": "continues"}) == "continues"
    assert "the request was cancelled" not in caplog.text


async def test_notifications_go_to_their_handler_or_the_queue(client: RpcClient) -> None:
    seen: list[Any] = []
    await client.request("flood", {"count": 1})
    client.on_notification("flooded", lambda params: seen.append(params["number"]))
    await client.request("flood", {"count": 3})
    assert (await asyncio.wait_for(client.notifications.get(), 5)).method == "flooded"
    assert seen == [0, 1, 2] and client.notifications.empty()


async def test_the_newest_notifications_are_kept_and_the_others_counted(client: RpcClient) -> None:
    client.notifications = asyncio.Queue(2)
    await client.request("flood", {"count": 5})
    assert [client.notifications.get_nowait().params["number"] for _ in range(2)] == [3, 4]
    assert client.dropped_notifications == 3


async def test_requests_of_the_server_are_answered_by_their_handler(client: RpcClient) -> None:
    async def double(params: Any) -> Any:
        return params["value"] * 2

    client.on_request("client/ask", double)
    assert await client.request("ask", {"value": 21}) == 42


async def test_requests_of_the_server_without_a_handler_are_refused(client: RpcClient) -> None:
    with pytest.raises(RpcError, match="unknown method client/ask"):
        await client.request("ask", {"value": 1})


async def test_notify_reaches_the_server_in_order(client: RpcClient) -> None:
    for number in range(5):
        await client.notify("note", {"value": number})
    assert await client.request("notes") == list(range(5))


async def test_params_without_a_json_form_are_refused_before_they_are_sent(client: RpcClient) -> None:
    with pytest.raises(EncodingError):
        await client.request("echo", {"value": {1}})


async def test_a_server_that_ends_fails_what_waits_and_what_comes_after(client: RpcClient) -> None:
    waiting = asyncio.create_task(client.request("sleep", {"count": 30}))
    await client.request("echo")
    await client.notify("exit", {"count": 0})
    with pytest.raises((ConnectionClosed, RpcError)):
        await waiting
    assert await client.wait(5) == 0
    with pytest.raises(ConnectionClosed):
        await client.request("echo")


async def test_standard_error_is_collected(client: RpcClient) -> None:
    await client.request("pollute")
    await client.close()
    assert "stray print" in client.stderr_text


async def test_output_that_is_not_framed_ends_the_calls_with_an_error() -> None:
    async with await RpcClient.spawn(program("print('hello', flush=True); input()")) as client:
        with pytest.raises(ConnectionClosed):
            await client.request("echo", timeout=5)
        assert client.framing_error is not None


async def test_closing_is_bounded_for_a_server_that_ignores_everything() -> None:
    source = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    client = await RpcClient.spawn(program(source), stderr="discard")
    started = time.monotonic()
    assert await client.close(patience=0.5) in (-9, -15)
    assert time.monotonic() - started < 4


async def test_closing_does_not_wait_for_a_grandchild_that_holds_the_pipes() -> None:
    source = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(8)'])"
    client = await RpcClient.spawn(program(source))
    assert await client.wait(5) == 0
    assert await asyncio.wait_for(client.close(), 2) == 0


async def test_a_program_that_does_not_exist_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        await RpcClient.spawn(["no-such-program-anywhere"])


def test_the_client_does_not_load_pygls() -> None:
    source = "import sys, sidecar.rpc.client; sys.exit('pygls' in sys.modules or 'lsprotocol' in sys.modules)"
    assert subprocess.run(program(source), cwd=ROOT, timeout=20).returncode == 0
