import asyncio
import itertools
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import StorageError
from sidecar.storage.layout import new_task_id
from sidecar.storage.task_folder import TaskFolder
from sidecar.subagents.transcript import transcript as transcript_module
from sidecar.subagents.transcript.transcript import Transcript, TranscriptHead

FILES = ["api_conversation_history.json", "history_item.json", "ui_messages.json"]


@pytest.fixture
def head() -> TranscriptHead:
    return TranscriptHead(
        task_id=new_task_id(), goal="Do it", subagent_name="doer", workspace_dir="/w", started_at=5
    )


def content(root: Path, head: TranscriptHead, name: str) -> Any:
    return json.loads((root / "tasks" / head.task_id / name).read_bytes())


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.005)


def message(text: str) -> dict[str, Any]:
    return {"type": "message", "messageId": 1, "ts": 6, "text": text}


async def test_all_files_are_there_from_the_start(tmp_path: Path, head: TranscriptHead) -> None:
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    folder = tmp_path / "tasks" / head.task_id
    assert sorted(os.listdir(folder)) == FILES
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in FILES} == {0o600}
    assert content(tmp_path, head, "ui_messages.json")[0]["text"] == "Do it"
    assert content(tmp_path, head, "history_item.json")["outcome"] == "streaming"
    await transcript.finish("completed")


async def test_what_happens_is_in_the_files_while_it_runs(tmp_path: Path, head: TranscriptHead) -> None:
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    transcript.record(message("Working"))
    for name in ("ui_messages.json", "api_conversation_history.json"):  # each is written on its own
        await until(lambda name=name: len(content(tmp_path, head, name)) == 2)  # type: ignore[misc]
    assert content(tmp_path, head, "api_conversation_history.json")[1]["role"] == "assistant"
    await transcript.finish("completed")


async def test_the_end_is_written_at_once_and_whole(tmp_path: Path, head: TranscriptHead) -> None:
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    for n in range(100):
        transcript.record(message(f"{n} "))
    await transcript.finish("completed", final_message="All done")
    messages = content(tmp_path, head, "ui_messages.json")
    assert messages[1]["text"] == "".join(f"{n} " for n in range(100))
    assert [m["text"] for m in messages[2:]] == ["All done", ""]
    item = content(tmp_path, head, "history_item.json")
    assert (item["outcome"], item["ts"], item["product"]) == ("completed", 9, "sidecar")
    assert sorted(os.listdir(tmp_path / "tasks" / head.task_id)) == FILES


async def test_the_first_end_is_kept(tmp_path: Path, head: TranscriptHead) -> None:
    clock = itertools.count(20).__next__
    transcript = await Transcript.start(tmp_path, head, clock)
    await transcript.finish("cancelled")
    transcript.record(message("late"))
    await transcript.finish("failed", error="late")
    item = content(tmp_path, head, "history_item.json")
    assert (item["outcome"], item["ts"]) == ("cancelled", 20)


async def test_rewrites_are_few_however_many_events_come(
    tmp_path: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = []
    write = TaskFolder.write_ui

    def counted(folder: TaskFolder, data: bytes) -> None:
        writes.append(len(data))
        write(folder, data)

    monkeypatch.setattr(TaskFolder, "write_ui", counted)
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    for n in range(300):
        transcript.record(message(f"{n}"))
        await asyncio.sleep(0)
    await transcript.finish("completed")
    assert len(writes) <= 4


async def test_a_root_that_cannot_hold_the_folder_is_named(tmp_path: Path, head: TranscriptHead) -> None:
    (tmp_path / "tasks").touch()
    with pytest.raises(StorageError, match="check free space and permissions") as caught:
        await Transcript.start(tmp_path, head, lambda: 9)
    assert caught.value.data["path"] == str(tmp_path / "tasks" / head.task_id)


async def test_a_disk_that_refuses_is_reported_at_the_end(
    tmp_path: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    monkeypatch.setattr(TaskFolder, "write_ui", full)
    transcript.record(message("x"))
    with pytest.raises(StorageError, match="No space left"):
        await transcript.finish("completed")


async def test_files_are_durable_after_a_sync_and_not_waited_for_before(
    tmp_path: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def note(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    await transcript.finish("completed")
    assert synced == []
    await transcript.sync()
    assert sorted(synced) == sorted([*FILES, head.task_id])


async def test_a_folder_that_cannot_be_made_durable_is_named(
    tmp_path: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    await transcript.finish("completed")

    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(StorageError, match=f"{head.task_id}.*Input/output error"):
        await transcript.sync()


async def abandoned(root: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a transcript as a crash does: whole files, no end, a temporary file."""
    transcript = await Transcript.start(root, head, lambda: 9)
    transcript.record({"type": "usage", "inputTokens": 3, "ts": 6})
    await until(lambda: len(content(root, head, "ui_messages.json")) == 2)
    with monkeypatch.context() as crash:
        crash.setattr(transcript_module, "_write", lambda *_, **__: None)
        await transcript.finish("completed")
    (root / "tasks" / head.task_id / ".ui_messages.json.new_1_ab.tmp").write_bytes(b"[")


async def test_what_a_crash_left_is_ended_once(
    tmp_path: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch
) -> None:
    await abandoned(tmp_path, head, monkeypatch)
    assert await Transcript.recover(tmp_path, head.task_id, "failed", "lost", at=70)
    assert not await Transcript.recover(tmp_path, head.task_id, "cancelled", None, at=80)
    messages = content(tmp_path, head, "ui_messages.json")
    assert [m.get("ask") for m in messages] == [None, None, "api_req_failed"]
    assert (messages[-1]["text"], messages[-1]["ts"]) == ("lost", 70)
    item = content(tmp_path, head, "history_item.json")
    assert (item["outcome"], item["ts"], item["task"], item["tokensIn"]) == ("failed", 70, "Do it", 3)
    assert sorted(os.listdir(tmp_path / "tasks" / head.task_id)) == FILES


async def test_an_end_that_only_the_list_entry_missed_is_not_repeated(
    tmp_path: Path, head: TranscriptHead
) -> None:
    transcript = await Transcript.start(tmp_path, head, lambda: 9)
    item = (tmp_path / "tasks" / head.task_id / "history_item.json").read_bytes()
    await transcript.finish("failed", error="first")
    (tmp_path / "tasks" / head.task_id / "history_item.json").write_bytes(item)
    assert await Transcript.recover(tmp_path, head.task_id, "failed", "lost", at=70)
    assert [m.get("ask") for m in content(tmp_path, head, "ui_messages.json")] == [None, "api_req_failed"]
    assert content(tmp_path, head, "history_item.json")["outcome"] == "failed"


@pytest.mark.parametrize("damage", [b"", b"[{", b"[1]", b"{}", b"\xff", b"null"])
async def test_damaged_files_do_not_stop_a_recovery(
    tmp_path: Path, head: TranscriptHead, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    await abandoned(tmp_path, head, monkeypatch)
    for name in ("ui_messages.json", "history_item.json"):
        (tmp_path / "tasks" / head.task_id / name).write_bytes(damage)
    assert await Transcript.recover(tmp_path, head.task_id, "failed", "lost", at=70)
    item = content(tmp_path, head, "history_item.json")
    assert (item["id"], item["outcome"]) == (head.task_id, "failed")


async def test_a_run_without_a_folder_has_nothing_to_recover(tmp_path: Path, head: TranscriptHead) -> None:
    assert not await Transcript.recover(tmp_path, head.task_id, "failed", "lost", at=70)
    assert os.listdir(tmp_path) == []
