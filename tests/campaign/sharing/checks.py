"""What has to be true of a shared Host, besides what is true of any root."""

import asyncio
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sidecar import __version__
from sidecar.host.attach import address, attaching
from sidecar.subagents.runners.process.marker import find
from tests.campaign.checks import INVARIANTS as OF_ANY_ROOT
from tests.campaign.notes import ENDED, Notes
from tests.campaign.scenario import Client

Json = dict[str, Any]
INVARIANTS = {
    **OF_ANY_ROOT,
    "reminders": "an acknowledged end is not reported again; any other end is; no two clients hold the same",
    "processes": "no process of a run, a Host or a relay is left",
    "events": "for each client, none is missing or repeated; what it got is the beginning of the journal",
    "end of input": "every client sees the end of its Host",
    "bystanders": "a killed client, a killed agent and a stopped Host end no other run and no other client",
    "one Host": "one process has the journal open; of two starts one is refused",
    "status": "`host status` counts the clients and runs that there are",
    "addresses": "an ended Host leaves no socket and no pointer",
}
_SETTLE_SECONDS = 5.0
_ENDS_BY_ITSELF = frozenset({"cat", "events", "fail"})


def status(root: Path) -> Json | None:
    """Ask the Host what it is doing; None if there is none."""
    link = attaching.ask(str(root), attaching.request_bytes("status", __version__, {}), (), 20)
    if link is None:
        return None
    answer = link.line()
    link.close()
    found: Json | None = None if answer is None else json.loads(answer)
    return found


async def check_status(client: Client, notes: Notes, root: Path, clients: int) -> None:
    """Compare `host status` with the attached clients and the list of runs, once both have settled."""
    deadline = asyncio.get_running_loop().time() + _SETTLE_SECONDS
    while True:
        listed = (await client.link.request("asyncTasks/list"))["items"]
        found = await asyncio.to_thread(status, root)
        runs = {name: sum(task["status"] == name for task in listed) for name in ("running", "queued")}
        seen = None if found is None else {"clients": found["clients"], "runs": found["runs"]}
        if seen == {"clients": clients, "runs": runs}:
            return
        if asyncio.get_running_loop().time() >= deadline:
            notes.breaks("status", f"{seen}, but there are {clients} clients and {runs}")
            return
        await asyncio.sleep(0.02)


async def check_bystanders(
    client: Client, notes: Notes, launched: Collection[str], killed: Collection[str]
) -> None:
    """Check that the runs `launched` ended as their agents decide, unless cancelled or `killed`."""
    for task_id in launched:
        task = await client.get(task_id, "get on a Host that lives")
        status, reason = task["status"], task.get("endReason")
        runner = notes.launched[task_id]
        if reason in {"lost", "hostExit"}:
            notes.breaks("bystanders", f"{runner} ended as {reason}", task_id)
        elif status in ENDED and task_id not in killed and task_id not in notes.cancels:
            expected = "failed" if runner == "fail" else "completed"
            if runner not in _ENDS_BY_ITSELF or status != expected:
                notes.breaks("bystanders", f"{runner} ended as {status}/{reason}", task_id)


def check_one_host(notes: Notes, root: Path) -> None:
    """Check that the Host that answers is the only process with the journal open."""
    owners = holders(root / "sidecar.db")
    found = status(root)
    if found is None or owners != [found["pid"]]:
        notes.breaks("one Host", f"{owners} have the journal open, {found} answers")


def check_nothing_left(notes: Notes, home: Path, root: Path) -> None:
    """Search for processes that work in this home, for addresses and for half-written files."""
    tasks = [each.name for each in (root / "tasks").iterdir()]
    if left := find(tasks):
        notes.breaks("processes", f"marked processes {left}")
    if left := _processes_of(home):
        notes.breaks("processes", f"processes {left} of this home")
    addresses = [address.socket_path(str(root)), str(root / address.POINTER)]
    if there := [path for path in addresses if os.path.lexists(path)]:
        notes.breaks("addresses", f"{there} of an ended Host")
    if temporary := [str(path) for path in root.rglob("*.tmp")]:
        notes.breaks("temporary files", str(temporary))


def holders(path: Path) -> list[int]:
    """Return the processes that have a file open."""
    return [pid for pid in _pids() if str(path) in _open_files(pid)]


def is_starting_or_running(root: Path) -> bool:
    """Whether a Host has the lock of the root, or a process of one is still on its way there."""
    command = f"host\0run\0--storage-root\0{root}\0"
    return any(command in _command(pid) for pid in _pids()) or bool(holders(root / address.LOCK))


def _processes_of(home: Path) -> list[int]:
    own, inside = os.getpid(), str(home) + os.sep
    return [
        pid
        for pid in _pids()
        if pid != own
        and (inside in _command(pid) or any(path.startswith(inside) for path in _open_files(pid)))
    ]


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _open_files(pid: int) -> list[str]:
    folder, paths = f"/proc/{pid}/fd", []
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    for name in names:
        try:
            paths.append(os.readlink(f"{folder}/{name}"))
        except OSError:
            continue
    return paths
