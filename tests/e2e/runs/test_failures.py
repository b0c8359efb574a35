"""What a person's machine does to a root: a full disk, bad rows, removed files, many starts at once."""

import asyncio
import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.campaign.forker import Forker
from tests.campaign.link import Link
from tests.e2e.conftest import RUNNERS, Sidecar, Start
from tests.storage.mounts import freeze, read_only, small_disk

STORAGE_ERROR = -32016
ROOM = b"\0" * 65536


@pytest.fixture
def disk(home: Path) -> Iterator[Path]:
    """The root, on a disk of its own of 3 MB."""
    with small_disk(home / "root", 3072) as path:
        yield path


def fill(disk: Path) -> Path:
    """Write until the disk is full; removing the file frees it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (len(ROOM), 4096, 1):
            try:
                while file.write(ROOM[:size]) == size:
                    pass
            except OSError:
                continue
    return filler


async def killed(sidecar: Sidecar) -> None:
    os.kill(sidecar.client.pid, signal.SIGKILL)
    assert await sidecar.client.wait(5) is not None


async def refusal(sidecar: Sidecar) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await sidecar.launch("cat")
    assert caught.value.code == STORAGE_ERROR
    return caught.value


async def accepted(sidecar: Sidecar, seconds: float = 15) -> str:
    """Launch as soon as the sidecar takes one."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                return await sidecar.launch("cat", "there is room")
            except RpcError as error:
                assert error.code == STORAGE_ERROR
                await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("way_out", ["a kill", "an orderly end"])
async def test_ends_on_a_full_disk_are_kept_once_there_is_room(
    disk: Path, start: Start, way_out: str
) -> None:
    sidecar = await start()
    ended = await sidecar.launch(
        "events", f"until [ -e {disk.parent / 'go'} ]; do sleep 0.02; done; echo done"
    )
    await sidecar.until(lambda: "running" in {change["status"] for change in sidecar.changes})
    filler = fill(disk)
    (disk.parent / "go").touch()
    await refusal(sidecar)
    filler.unlink()
    (task,) = await sidecar.ended(ended)
    assert task["endReason"] == "goal"
    if way_out == "a kill":
        await killed(sidecar)
    else:
        assert await sidecar.shut_down() == 0
    again = await start()
    assert (await again.task(ended))["endReason"] == "goal"
    await again.ended(await accepted(again))


@pytest.mark.slow
async def test_a_delivery_that_cannot_be_kept_is_not_acknowledged(disk: Path, start: Start) -> None:
    sidecar = await start()
    task_id = await sidecar.launch("cat", "one", notifyModel=True)
    await sidecar.ended(task_id)
    reminder = await sidecar.request("reminders/next")
    filler = fill(disk)
    try:
        await sidecar.request("reminders/delivered", deliveryId=reminder["deliveryId"])
        was_answered = True
    except RpcError as error:
        assert error.code == STORAGE_ERROR
        was_answered = False
    filler.unlink()
    await killed(sidecar)
    reported = (await (await start()).request("reminders/next"))["taskIds"]
    assert reported == ([] if was_answered else [task_id])


@pytest.mark.slow
async def test_a_root_that_is_still_full_can_be_read(disk: Path, start: Start) -> None:
    sidecar = await start()
    ended, running = await sidecar.launch("cat", "one"), await sidecar.launch_ready("wait")
    await sidecar.ended(ended)
    filler = fill(disk)
    await killed(sidecar)
    again = await start()
    assert (await again.task(ended))["endReason"] == "goal"
    assert (await again.task(running))["endReason"] == "lost"
    runs, stored = await again.request("asyncTasks/list"), await again.request("tasks/list")
    assert {row["id"]: row["status"] for row in runs["items"]} == {ended: "completed", running: "failed"}
    assert {row["id"]: row["status"] for row in stored["items"]} == {ended: "completed", running: "failed"}
    assert (runs["counts"]["running"], runs["counts"]["failed"]) == (0, 1)
    assert (stored["counts"].get("active", 0), stored["counts"]["failed"]) == (0, 1)
    failed = await again.request("asyncTasks/list", status="failed")
    assert [row["id"] for row in failed["items"]] == [running]
    assert (await again.request("tasks/get", taskId=running))["task"]["status"] == "failed"
    filler.unlink()
    await again.ended(await accepted(again))


@pytest.mark.slow
async def test_a_row_that_cannot_be_read_costs_only_that_run(sidecar: Sidecar, start: Start) -> None:
    bad, good = await sidecar.launch("cat", "one"), await sidecar.launch("cat", "two")
    await sidecar.ended(bad, good)
    await sidecar.shut_down()
    with closing(sqlite3.connect(sidecar.root / "sidecar.db")) as database, database:
        database.execute("UPDATE runs SET body = ?, status = 'running' WHERE id = ?", (b"\xc1bad", bad))
    again = await start()
    assert (await again.task(good))["output"]["final_message"] == "two"
    rows = {row["id"]: row for row in (await again.request("asyncTasks/list"))["items"]}
    assert rows[bad]["status"] == "failed" and rows[bad]["error"]
    await again.ended(await again.launch("cat"))


async def test_a_damaged_journal_leaves_history_and_says_what_to_do(sidecar: Sidecar, start: Start) -> None:
    await sidecar.ended(await sidecar.launch("cat", "one"))
    await sidecar.shut_down()
    (sidecar.root / "sidecar.db").write_bytes(b"no database" * 1000)
    again = await start()
    assert (await again.request("tasks/list"))["total"] == 1
    assert "sidecar.db" in str(await refusal(again))


@pytest.mark.slow
async def test_a_read_only_root_serves_history(home: Path, start: Start) -> None:
    with small_disk(home / "root", 3072) as root:
        sidecar = await start()
        await sidecar.ended(await sidecar.launch("cat", "one"))
        await sidecar.shut_down()
        freeze(root)
        again = await start()
        assert (await again.request("tasks/list"))["total"] == 1
        runs = await again.request("asyncTasks/list")
        assert [row["status"] for row in runs["items"]] == ["completed"]
        events = await again.request("asyncTasks/events", taskId=runs["items"][0]["id"])
        assert events["events"][-1]["status"] == "completed"
        assert (await refusal(again)).data["reason"].endswith("Read-only file system")
        assert await again.shut_down() == 0


@pytest.mark.slow
async def test_the_clients_of_every_reader_learn_what_was_lost_with_the_owner(
    sidecar: Sidecar, start: Start
) -> None:
    run = await sidecar.launch_ready("wait")
    readers = [await start(), await start()]
    await killed(sidecar)
    for reader in readers:

        def has_heard(reader: Sidecar = reader) -> bool:
            return (run, "lost") in [(task["id"], task.get("endReason")) for task in reader.changes]

        await reader.until(has_heard)
        assert (await reader.task(run))["endReason"] == "lost"


async def test_a_root_that_cannot_be_made_is_empty_and_refuses_launches(home: Path, start: Start) -> None:
    with read_only(home / "outside") as outside:
        sidecar = await start(root=outside / "root")
        assert (await sidecar.request("tasks/list"))["total"] == 0
        assert (await refusal(sidecar)).data["reason"].endswith("Read-only file system")


@pytest.mark.parametrize("name", ["sidecar.db", "."])
async def test_an_owner_whose_files_are_removed_accepts_nothing_it_would_lose(
    sidecar: Sidecar, name: str
) -> None:
    await sidecar.ended(await sidecar.launch("cat", "one"))
    path = sidecar.root / name
    shutil.rmtree(sidecar.root) if name == "." else path.unlink()
    await refusal(sidecar)


async def test_every_view_of_a_run_whose_root_is_removed_agrees_on_its_end(sidecar: Sidecar) -> None:
    task_id = await sidecar.launch_ready("wait", notifyModel=True)
    await sidecar.request("asyncTasks/setMax", max=1)
    queued = await sidecar.launch("cat", overLimit="queue")
    shutil.rmtree(sidecar.root)

    def end_of(task: str) -> list[str]:
        return [event["endReason"] for event in sidecar.events.get(task, []) if "endReason" in event]

    await sidecar.until(lambda: end_of(task_id) == ["hostExit"])
    task = await sidecar.task(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "hostExit")
    counts = (await sidecar.request("asyncTasks/list"))["counts"]
    assert (counts["running"], counts["queued"]) == (0, 0)
    page = await sidecar.request("asyncTasks/events", taskId=task_id)
    assert page["events"][-1]["endReason"] == "hostExit"
    checked = await sidecar.request("tools/call", name="check_async_tasks", arguments={"action": "list"})
    assert (checked["metadata"]["running"], checked["metadata"]["failed"]) == (0, 1)
    reminder = await sidecar.request("reminders/next")
    assert reminder["taskIds"] == [task_id]
    await sidecar.request("reminders/delivered", deliveryId=reminder["deliveryId"])
    assert (await sidecar.request("reminders/next"))["taskIds"] == []
    assert (await sidecar.task(queued))["endReason"] == "hostExit"


@pytest.mark.slow
async def test_a_lock_removed_under_an_owner_that_does_not_answer_lets_nobody_take_over(
    sidecar: Sidecar, start: Start
) -> None:
    task_id = await sidecar.launch_ready("wait")
    os.kill(sidecar.client.pid, signal.SIGSTOP)
    (sidecar.root / "sidecar.lock").unlink()
    second = await start()
    assert not await launches(second)
    os.kill(sidecar.client.pid, signal.SIGCONT)
    assert await launches(sidecar)
    assert (await sidecar.task(task_id))["status"] == "running"
    assert (sidecar.root / "sidecar.lock").read_text() == str(sidecar.client.pid)


@pytest.mark.slow
async def test_a_removed_lock_never_makes_two_owners(sidecar: Sidecar, start: Start) -> None:
    task_id = await sidecar.launch_ready("wait")
    (sidecar.root / "sidecar.lock").unlink()
    second = await start()
    owners = [await launches(each) for each in (sidecar, second)]
    assert owners.count(True) == 1
    if owners[0]:
        assert (await sidecar.task(task_id))["status"] == "running"


async def launches(sidecar: Sidecar) -> bool:
    try:
        await sidecar.ended(await sidecar.launch("cat"))
    except RpcError as error:
        assert error.code == STORAGE_ERROR
        return False
    return True


@pytest.mark.slow
async def test_a_reader_launches_once_the_owner_is_dead(sidecar: Sidecar, start: Start) -> None:
    reader = await start()
    assert str(sidecar.client.pid) in str(await refusal(reader))
    await killed(sidecar)
    await reader.ended(await accepted(reader))


def ignore(method: str, params: object) -> None:
    """Take what a server sends by itself."""


async def test_of_forty_starts_at_once_on_a_fresh_root_one_owns_and_all_serve(
    home: Path, environment: dict[str, str]
) -> None:
    root, settings = home / "root", {"runners": RUNNERS}
    params: dict[str, Any] = {
        "protocolVersion": 1,
        "workspaceFolders": [],
        "workspaceTrusted": True,
        "settings": settings,
    }
    with Forker() as forker:
        forked_processes = [await forker.fork(root, environment, home / "stderr") for _ in range(40)]
        links = {forked.pid: Link(ignore, ignore) for forked in forked_processes}
        for forked in forked_processes:
            await links[forked.pid].open(forked.read, forked.write)
            forked.go()
        await asyncio.gather(*(link.request("initialize", **params) for link in links.values()))
        owner = int((root / "sidecar.lock").read_text())
        for link in (link for pid, link in links.items() if pid != owner):
            assert (await link.request("tasks/list"))["total"] == 0
            with pytest.raises(RpcError, match=f"pid {owner}"):
                await link.request("asyncTasks/launch", subagentName="cat", goalPrompt="x")
        for link in links.values():
            link.close()
        await asyncio.gather(*(link.closed.wait() for link in links.values()))
