"""The invariants: what has to be true of a root when a server has taken it over from a killed one."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

from sidecar.rpc.errors import RpcError
from sidecar.storage.atomic import is_temp
from sidecar.subagents.runners.process.marker import find
from tests.campaign.notes import ENDED, Notes
from tests.campaign.scenario import Client

Json = dict[str, Any]
INVARIANTS = {
    "launches": "a launch that was answered is not lost",
    "ends": "a run that was reported as ended stays ended and keeps its result",
    "reminders": "an acknowledged end is not reported again; any other end is",
    "processes": "no process of a run is left when `initialize` is answered",
    "events": "none is missing or repeated; what the client received is the beginning of the journal",
    "end events": "each run has exactly one, which agrees with its record",
    "folders": "a task's folder agrees with the journal",
    "database": "`PRAGMA integrity_check`",
    "temporary files": "none is left",
    "slots": "a run can be launched and ends",
    "exit": "a normal shutdown takes at most its time limit and leaves no process",
}
_PAGE = 5000


def check_processes(notes: Notes) -> None:
    """Search for processes of any run; call it right after `initialize`."""
    if left := find(list(notes.launched)):
        notes.breaks("processes", f"marked processes {left}")
    hidden = {task_id for task_id, runner in notes.launched.items() if runner == "vanish"}
    for process in psutil.process_iter(["cmdline"]) if hidden else ():
        if hidden & set(process.info["cmdline"] or ()):
            notes.breaks("processes", f"process {process.pid} without a marker")


async def check_runs(client: Client, notes: Notes, root: Path) -> None:
    """Compare every launched run with what the client learned of it, its events and its folder."""
    before = set(notes.ends)
    for task_id in notes.launched:
        try:
            task = await client.get(task_id, "get after a restart")
        except RpcError as error:
            notes.breaks("launches", str(error), task_id)
            continue
        if task["status"] not in ENDED:
            notes.breaks("ends", f"{task['status']}, and nothing runs", task_id)
            continue
        if task_id in notes.reported_ended and task["endReason"] == "lost" and task_id not in before:
            notes.breaks("ends", "a reminder reported its end, and now it is lost", task_id)
        _check_events(task, notes, await _events(client, task_id))
        _check_folder(task, notes, root / "tasks" / task_id)


async def check_reminders(client: Client, notes: Notes) -> None:
    """Take all reminders: they have to name every end that the model may not have learned of."""
    expected = {
        task_id
        for task_id, end in notes.ends.items()
        if task_id in notes.launched and end.status in {"completed", "failed"}
    }
    missing = expected - notes.acknowledged - notes.doubtful - await client.drain_reminders()
    for task_id in missing:
        notes.breaks("reminders", "never reported", task_id)


async def check_slots(client: Client, notes: Notes) -> None:
    """Run one more task."""
    task_id = await client.launch("cat", "still here")
    if task_id is None:
        notes.breaks("slots", "a launch is refused")
        return
    answer = await client.link.request("asyncTasks/wait", taskIds=[task_id], timeoutSeconds=15)
    notes.take_task(answer["tasks"][0], "wait")
    if answer["timedOut"] or answer["tasks"][0]["status"] != "completed":
        notes.breaks("slots", f"{task_id} is {answer['tasks'][0]['status']}")


def check_files(notes: Notes, root: Path) -> None:
    """Examine a root that nobody owns: its database, and that no half-written file is left."""
    with closing(sqlite3.connect(root / "sidecar.db")) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
    if found != [("ok",)]:
        notes.breaks("database", str(found[:3]))
    if left := [str(path) for path in root.rglob("*") if is_temp(path.name)]:
        notes.breaks("temporary files", str(left))


async def _events(client: Client, task_id: str) -> list[Json]:
    page = await client.link.request("asyncTasks/events", taskId=task_id, limit=_PAGE)
    events: list[Json] = page["events"]
    return events


def _check_events(task: Json, notes: Notes, events: list[Json]) -> None:
    task_id = task["id"]
    if [event["seq"] for event in events] != list(range(1, len(events) + 1)):
        notes.breaks("events", str([event["seq"] for event in events]), task_id)
    known = notes.events.get(task_id, [])
    if events[: len(known)] != known:
        notes.breaks("events", f"{len(known)} sent, {len(events)} in the journal", task_id)
    ends = [event for event in events if event["type"] == "state" and event["status"] in ENDED]
    reported = [(event["status"], event.get("endReason")) for event in ends]
    if reported != [(task["status"], task.get("endReason"))]:
        notes.breaks("end events", f"{reported}, record {task['status']}/{task.get('endReason')}", task_id)


def _check_folder(task: Json, notes: Notes, folder: Path) -> None:
    if "launchedAt" not in task:
        return
    try:
        outcome = json.loads((folder / "history_item.json").read_bytes()).get("outcome")
    except (OSError, ValueError) as error:
        notes.breaks("folders", str(error), task["id"])
        return
    if outcome != task["status"]:
        notes.breaks("folders", f"{outcome}, journal {task['status']}/{task.get('endReason')}", task["id"])
