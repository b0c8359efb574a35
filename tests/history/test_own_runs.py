"""Runs of the sidecar as the history reads them back."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from sidecar.api.runs.async_tasks import EndReason
from sidecar.api.stored.files import ByFileParams
from sidecar.api.stored.tasks import TaskInfo, TaskStatus
from sidecar.history import TaskHistory, insight
from sidecar.history.stores.task_folders.files import ITEM_FILE, METADATA_FILE, UI_FILE
from sidecar.subagents.transcript.transcript import Outcome, Transcript, TranscriptHead
from tests.history.conftest import NOW, TASK_ID, Store

Event = dict[str, Any]
WORKSPACE = "/projects/shop"


def diff(path: str, new: str, old: str | None = None) -> Event:
    return {"type": "diff", "path": path, "newText": new} | ({} if old is None else {"oldText": old})


def tool(call: str, status: str, *content: Event, **more: object) -> Event:
    shown = {"content": [*content]} if content else {}
    return {"type": "tool", "toolCallId": call, "name": "edit", "status": status, **shown, **more}


EVENTS = [
    {"type": "state", "status": "running", "model": "large-4"},
    tool("read", "completed", kind="read", locations=[{"path": f"{WORKSPACE}/README.md"}]),
    tool("edit", "started", diff(f"{WORKSPACE}/src/a.py", "1\n2\n", "1\n"), kind="edit"),
    tool("edit", "completed", {"type": "text", "text": "Updated."}),
    tool("edit again", "completed", diff("src/a.py", "3\n2\n", "1\n2\n")),
    tool("new", "completed", diff(f"{WORKSPACE}/new.md", "1\n2\n3\n")),
    tool("fails", "failed", diff("broken.py", "1\n")),
    tool("open", "started", diff("open.py", "1\n")),
    tool("rm", "completed", kind="delete", locations=[{"path": "/etc/shop.conf"}]),
]
FILES: list[dict[str, object]] = [
    {"path": "/etc/shop.conf", "actions": ["deleted"]},
    {"path": "new.md", "actions": ["created"], "additions": 3, "deletions": 0},
    {"path": "src/a.py", "actions": ["edited"], "additions": 2, "deletions": 1},
]


async def begun(root: Path) -> Transcript:
    head = TranscriptHead(
        task_id=TASK_ID, goal="Do it", subagent_name="doer", workspace_dir=WORKSPACE, started_at=NOW - 99
    )
    transcript = await Transcript.start(root, head, lambda: NOW)
    for n, event in enumerate(EVENTS):
        transcript.record({"seq": n + 1, "ts": NOW - 50, **event})
    return transcript


def listed(store: Store) -> list[dict[str, object]]:
    files = insight.files(store.history, TASK_ID).files
    shown = [
        {"path": file.path, "actions": file.actions, "additions": file.additions, "deletions": file.deletions}
        for file in files
    ]
    return [{key: value for key, value in file.items() if value is not None} for file in shown]


@pytest.mark.parametrize("outcome", get_args(Outcome))
async def test_files_of_a_run_are_those_it_changed_however_it_ended(store: Store, outcome: Outcome) -> None:
    await (await begun(store.path)).finish(outcome)
    assert listed(store) == FILES


async def test_an_end_that_is_not_in_the_files_is_shown_everywhere(store: Store) -> None:
    transcript = await begun(store.path)
    history = TaskHistory([store.path], now=lambda: NOW)
    ends: dict[str, TaskStatus] = {TASK_ID: "failed", "another": "completed"}
    for known, status in (({}, "active"), (ends, "failed"), ({}, "active")):
        history.know_ends(lambda known=known: known)  # type: ignore[misc]
        page = history.page()
        assert [task.status for task in page.items] == [status] and page.counts == {status: 1}
        assert len(history.list(filter=status)) == 1 and history.get(TASK_ID)[0].status == status
    await transcript.finish("failed")


async def test_files_of_a_run_are_listed_after_a_crash(store: Store) -> None:
    await (await begun(store.path)).finish("completed")
    item = store.path / "tasks" / TASK_ID / ITEM_FILE
    item.write_text(json.dumps({**json.loads(item.read_text()), "outcome": "streaming"}))
    assert await Transcript.recover(store.path, TASK_ID, "failed", "killed", at=NOW)
    assert listed(store) == FILES
    assert store.task().model == "large-4"


async def test_a_run_without_a_list_of_files_is_counted_from_its_messages(store: Store) -> None:
    """Runs have had such a list only since they count lines; the text of one diff is gone from them."""
    await (await begun(store.path)).finish("completed")
    (store.path / "tasks" / TASK_ID / METADATA_FILE).unlink()
    assert listed(store) == [*FILES[:2], {**FILES[2], "additions": 1}]


async def test_a_file_leads_to_the_runs_that_changed_it(store: Store) -> None:
    await (await begun(store.path)).finish("failed", error="no")
    for path in (f"{WORKSPACE}/src/a.py", "a.py", "/etc/shop.conf"):
        (found,) = insight.by_file(store.history, ByFileParams(path=path)).items
        assert found.task_id == TASK_ID
    for path in ("README.md", "broken.py", "open.py"):
        assert insight.by_file(store.history, ByFileParams(path=path)).items == []


async def test_lines_of_one_file_under_two_names_add_up(store: Store) -> None:
    await (await begun(store.path)).finish("completed")
    metadata = store.path / "tasks" / TASK_ID / METADATA_FILE
    records = json.loads(metadata.read_text())["files_in_context"]
    other = {"path": "/copy/src/a.py", "record_source": "roo_edited", "additions": 5, "deletions": 7}
    metadata.write_text(json.dumps({"files_in_context": [*records, other]}))
    (found,) = insight.by_file(store.history, ByFileParams(path="src/a.py")).items
    assert (found.file.additions, found.file.deletions) == (7, 8)


@pytest.mark.parametrize("ours", [True, False])
def test_only_runs_of_the_sidecar_are_counted_by_their_events(store: Store, ours: bool) -> None:
    call = {"tool": "edit", "status": "completed", "content": [diff("a.py", "1\n")]}
    message = {"ts": NOW, "type": "say", "say": "tool", "text": json.dumps(call)}
    store.write(ui=[message, message], api=[], history_item={"product": "sidecar"} if ours else {})
    assert [file["path"] for file in listed(store)] == (["a.py"] if ours else [])


def test_tags_in_the_text_of_a_run_are_not_calls(store: Store) -> None:
    text = {"type": "text", "text": "<write_to_file><path>a.py</path></write_to_file>"}
    store.write(ui=[], api=[{"role": "assistant", "content": [text]}], history_item={"product": "sidecar"})
    assert listed(store) == []


def test_a_call_of_a_command_that_failed_touched_nothing(store: Store) -> None:
    blocks = [
        {"type": "tool_use", "name": "write_to_file", "input": {"path": f"{status}.py", "status": status}}
        for status in ("started", "completed", "failed")
    ]
    store.write(ui=[], api=[{"role": "assistant", "content": blocks}], history_item={"product": "sidecar"})
    assert [file["path"] for file in listed(store)] == ["completed.py"]


OUTCOMES: dict[EndReason, Outcome] = {
    "goal": "completed",
    "error": "failed",
    "timeout": "failed",
    "inactivity": "failed",
    "startupTimeout": "failed",
    "maxTurns": "failed",
    "budget": "failed",
    "cancelledByUser": "cancelled",
    "cancelledByModel": "cancelled",
    "hostExit": "failed",
    "lost": "failed",
}
STATUSES = {"completed": "completed", "failed": "failed", "cancelled": "abandoned"}


def test_every_end_reason_is_tried() -> None:
    assert set(OUTCOMES) == set(get_args(EndReason))


async def ended(store: Store, reason: EndReason) -> TaskInfo:
    transcript = await begun(store.path)
    outcome = OUTCOMES[reason]
    if reason == "lost":
        folder = store.path / "tasks" / TASK_ID
        names = (UI_FILE, ITEM_FILE)
        before = {name: (folder / name).read_bytes() for name in names}
        await transcript.finish("completed")
        for name, data in before.items():
            (folder / name).write_bytes(data)
        await Transcript.recover(store.path, TASK_ID, outcome, reason, at=NOW)
    else:
        message = "Done" if outcome == "completed" else None
        await transcript.finish(outcome, final_message=message, error=None if message else reason)
    return store.task()


@pytest.mark.parametrize("reason", OUTCOMES)
async def test_a_stored_run_ends_as_the_run_did(store: Store, reason: EndReason) -> None:
    task = await ended(store, reason)
    assert (task.outcome, task.status) == (OUTCOMES[reason], STATUSES[OUTCOMES[reason]])
    assert (task.product, task.last_activity, task.problems) == ("sidecar", NOW, [])


@pytest.mark.parametrize("reason", OUTCOMES)
async def test_the_messages_alone_show_the_same_end(store: Store, reason: EndReason) -> None:
    await ended(store, reason)
    (store.path / "tasks" / TASK_ID / ITEM_FILE).unlink()
    task = TaskHistory([store.path], now=lambda: NOW).get(TASK_ID)[0]
    assert task.outcome == OUTCOMES[reason]
    assert task.model == "large-4"


async def test_a_run_in_progress_is_streaming(store: Store) -> None:
    transcript = await begun(store.path)
    assert store.task().outcome == "streaming"
    await transcript.finish("completed")
