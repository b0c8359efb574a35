"""From initialize to exit, as raw as a client can be."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.conftest import REPO, SERVE, Sidecar, Start


async def refused(sidecar: Sidecar, method: str, **params: Any) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await sidecar.request(method, **params)
    return caught.value


async def test_initialize_says_what_the_sidecar_is_and_can_do(start: Start, home: Path) -> None:
    sidecar = await start(initialize=False)
    answer = await sidecar.initialize()
    assert answer["protocolVersion"] == 1
    assert answer["serverInfo"]["name"] == "subagent-sidecar"
    assert answer["storageRoot"] == str(home / "root")
    assert {"tasks/list", "asyncTasks/launch", "tools/call", "reminders/next"} <= set(answer["methods"])
    assert {"tasks/export", "tasks/search", "history/doctor"} <= set(answer["methods"])
    assert not {"asyncTasks/relaunch", "worktrees/diff"} & set(answer["methods"])
    assert {"name": "cat", "type": "command", "available": True} in answer["runners"]


async def test_nothing_but_exit_is_served_before_initialize(start: Start) -> None:
    sidecar = await start(initialize=False)
    assert (await refused(sidecar, "tasks/list")).code == -32002
    await sidecar.client.notify("agent/setBusy", {"busy": True})
    await sidecar.client.notify("exit")
    assert await sidecar.client.wait(5) == 1


BAD: list[tuple[dict[str, Any], str]] = [
    ({"protocolVersion": 2}, "protocolVersion"),
    ({"storageRoot": "/elsewhere"}, "storageRoot"),
    ({"storageRoot": "relative"}, "storageRoot"),
    ({"foreignRoots": ["relative"]}, "foreignRoots"),
    ({"settings": {"asyncTasks": {"maxx": 1}}}, "asyncTasks.maxx"),
    ({"workspaceTrust": True}, "workspaceTrust"),
    ({"processId": "7"}, "processId"),
    ({"processId": 0}, "processId"),
]
"""Parameters of `initialize`, each with the member that its error names."""


async def test_a_bad_initialize_names_the_member_and_can_be_sent_again(start: Start) -> None:
    sidecar = await start(initialize=False)
    for params, names in BAD:
        with pytest.raises(RpcError, match=names) as caught:
            await sidecar.initialize(**params)
        assert caught.value.code == -32602, params
    assert (await sidecar.initialize())["protocolVersion"] == 1


async def test_a_second_initialize_is_refused(sidecar: Sidecar) -> None:
    with pytest.raises(RpcError) as caught:
        await sidecar.initialize()
    assert caught.value.code == -32600


async def test_a_reserved_method_is_unknown(sidecar: Sidecar) -> None:
    for method in ("asyncTasks/relaunch", "worktrees/diff"):
        assert (await refused(sidecar, method)).code == -32601


async def test_after_shutdown_only_exit_is_taken(sidecar: Sidecar) -> None:
    assert await sidecar.request("shutdown") is None
    assert (await refused(sidecar, "tasks/list")).code == -32600
    await sidecar.client.notify("exit")
    assert await sidecar.client.wait(5) == 0


async def test_the_end_of_input_is_an_exit(sidecar: Sidecar) -> None:
    sidecar.client.close_input()
    assert await sidecar.client.wait(5) == 1


async def test_the_sidecar_ends_with_the_process_that_it_serves(start: Start) -> None:
    editor = await asyncio.create_subprocess_exec("sleep", "600")
    try:
        sidecar = await start(processId=editor.pid)
    finally:
        editor.kill()
        await editor.wait()
    assert await sidecar.client.wait(10) == 1


async def test_a_term_signal_is_an_orderly_end(sidecar: Sidecar) -> None:
    await sidecar.launch_ready("stubborn")
    began = time.monotonic()
    os.kill(sidecar.client.pid, signal.SIGTERM)
    assert await sidecar.client.wait(10) == 1
    assert time.monotonic() - began < 3.5


@pytest.mark.slow
@pytest.mark.parametrize("how", ["term", "exit", "end of input"])
async def test_however_it_ends_a_run_that_its_caller_waits_for_ends_with_the_host(
    start: Start, how: str
) -> None:
    sidecar = await start(processId=os.getpid())
    arguments = {"subagent_name": "wait", "goal_prompt": "x"}
    call = asyncio.create_task(sidecar.request("tools/call", name="task", arguments=arguments))
    await sidecar.until(lambda: any(change["status"] == "running" for change in sidecar.changes))
    if how == "term":
        os.kill(sidecar.client.pid, signal.SIGTERM)
    elif how == "exit":
        await sidecar.client.notify("exit")
    else:
        sidecar.client.close_input()
    assert await sidecar.client.wait(5) == 1
    await asyncio.gather(call, return_exceptions=True)
    (task,) = (await (await start()).request("asyncTasks/list"))["items"]
    assert (task["status"], task["endReason"]) == ("failed", "hostExit")


async def test_an_untrusted_workspace_lists_but_does_not_launch(start: Start) -> None:
    sidecar = await start(workspaceTrusted=False)
    assert (await sidecar.request("tasks/list"))["items"] == []
    error = await refused(sidecar, "asyncTasks/launch", subagentName="cat", goalPrompt="x")
    assert error.code == -32015
    assert "didGrantTrust" in error.message
    answer = await sidecar.request(
        "tools/call", name="task", arguments={"subagent_name": "cat", "goal_prompt": "x"}
    )
    assert answer["error"]["type"] == "EXECUTION_FAILED"
    await sidecar.client.notify("workspace/didGrantTrust")
    assert await sidecar.launch("cat")


async def test_settings_are_in_force_as_soon_as_they_are_updated(sidecar: Sidecar) -> None:
    await sidecar.request("settings/update", settings={"asyncTasks": {"max": 2}})
    assert (await sidecar.request("asyncTasks/list"))["max"] == 2
    error = await refused(
        sidecar, "settings/update", settings={"asyncTasks": {"max": 1, "overLmit": "queue"}}
    )
    assert error.code == -32602
    assert "asyncTasks.overLmit" in error.message
    assert (await sidecar.request("asyncTasks/list"))["max"] == 2


async def test_health_counts_what_runs(sidecar: Sidecar) -> None:
    await sidecar.launch_ready("wait")
    health = await sidecar.request("health")
    assert health["asyncTasks"] == {"running": 1, "queued": 0}
    assert health["rssBytes"] > 1_000_000
    assert health["queues"]["outbound"] >= 0


async def test_an_internal_error_gives_a_correlation_id_and_no_path(sidecar: Sidecar) -> None:
    (sidecar.root / "sidecar.db").unlink()
    (sidecar.root / "tasks").mkdir(exist_ok=True)
    for name in ("sidecar.db-wal", "sidecar.db-shm"):
        (sidecar.root / name).unlink(missing_ok=True)
    answer = await sidecar.request("tasks/list")
    assert answer["total"] == 0


def test_serve_imports_no_command_line_and_no_tables() -> None:
    code = (
        "import sys, sidecar.app.serve; "
        "print([name for name in ('click', 'rich', 'acp', 'mcp', 'psutil') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_batch_and_a_broken_message_are_answered_once_each(tmp_path: Path) -> None:
    bodies = [
        b"[]",
        b"{",
        b'{"id": 5, "method": "health"}',
        b'{"jsonrpc": "2.0", "id": 6, "method": "health"}',
    ]
    frames = b"".join(b"content-length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    command = [*SERVE, "--storage-root", str(tmp_path / "root")]
    done = subprocess.run(
        command, input=frames, capture_output=True, timeout=20, cwd=REPO, check=False, env={**os.environ}
    )
    answers = [orjson.loads(part.split(b"\r\n\r\n", 1)[1]) for part in _frames(done.stdout)]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [
        (None, -32600),
        (None, -32700),
        (5, -32600),
        (6, -32002),
    ]


def test_a_stream_without_lengths_ends_the_process_with_a_line_on_stderr(tmp_path: Path) -> None:
    command = [*SERVE, "--storage-root", str(tmp_path / "root")]
    done = subprocess.run(
        command, input=b"GET / HTTP/1.1\r\n\r\n", capture_output=True, timeout=20, cwd=REPO, check=False
    )
    assert done.returncode == 1
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1


def _frames(data: bytes) -> list[bytes]:
    frames = []
    while data:
        head, rest = data.split(b"\r\n\r\n", 1)
        length = int(head.split(b":")[1])
        frames.append(head + b"\r\n\r\n" + rest[:length])
        data = rest[length:]
    return frames
