"""`demo`: show the main features over JSON-RPC, as an editor uses them."""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from sidecar.app.clock import wall_clock_ms
from sidecar.app.settings import load_file
from sidecar.cli import exits, output
from sidecar.cli.demo import files as demo_files
from sidecar.cli.options import process_options
from sidecar.rpc.client import RpcClient
from sidecar.status_words import END_WORDS, STATUS_WORDS, stored_status
from sidecar.subagents.runners.process.marker import find

WATCHED_SECONDS = 2.5
"""How long the live output is shown before the endless subagent is cancelled."""
_ANSWER_SECONDS = 20
_STORED_COLUMNS = ["STATUS", "TITLE", "MODE", "COST", "PRODUCT", "ACTIVE"]


@click.command()
@click.option("--storage-root", type=click.Path(path_type=Path), help="Keep the demo's root in this folder.")
@process_options
def demo(storage_root: Path | None, config: Path | None, log_level: str) -> int:
    """List sample sessions, run three subagents, cancel one, and show the model's reminder."""
    load_file(config)
    with tempfile.TemporaryDirectory(prefix="sidecar-demo-") as made:
        folder = Path(made).resolve()
        paths = _Paths(
            folder / "workspace", folder / "roo", folder / "agents", storage_root or folder / "own"
        )
        demo_files.write_workspace(paths.workspace)
        demo_files.write_agents(paths.agents)
        demo_files.write_storage(paths.foreign, paths.workspace, wall_clock_ms())
        serve = ["serve", "--in-process", "--log-level", log_level]
        serve += ["--config", str(config.absolute())] if config is not None else []
        return asyncio.run(_Demo(paths, serve).run())


class _Paths:
    def __init__(self, workspace: Path, foreign: Path, agents: Path, own: Path) -> None:
        self.workspace = workspace
        self.foreign = foreign
        self.agents = agents
        self.own = own.absolute()


class _Demo:
    """Act like an editor that has its own sidecar."""

    def __init__(self, paths: _Paths, serve: list[str]) -> None:
        self._paths = paths
        self._serve = serve
        self._names: dict[str, str] = {}
        self._failed = False
        self._client: RpcClient

    async def run(self) -> int:
        arguments = ["-m", "sidecar", *self._serve, "--storage-root", str(self._paths.own)]
        _say(f"$ {' '.join(['python', *arguments])}")
        async with await RpcClient.spawn([sys.executable, *arguments]) as self._client:
            self._client.on_notification("asyncTasks/didOutput", self._print_events)
            await self._initialize()
            _title("Sessions of another tool")
            await self._print_tasks()
            await self._run_subagents()
            _title("The same list with the runs")
            await self._print_tasks()
            await self._request("shutdown")
            await self._client.notify("exit")
        left = find(list(self._names))
        _say(f"\nThe sidecar has exited. Remaining processes of its runs: {left or 'none'}.")
        return exits.FAILED if left or self._failed else exits.DONE

    async def _initialize(self) -> None:
        answer = await self._request(
            "initialize",
            protocolVersion=1,
            clientInfo={"name": "demo"},
            foreignRoots=[str(self._paths.foreign)],
            workspaceFolders=[str(self._paths.workspace)],
            workspaceTrusted=True,
            settings={
                "runners": demo_files.runners(sys.executable),
                "agents": {"directories": [str(self._paths.agents)]},
            },
        )
        server = answer["serverInfo"]
        _say(f"{server['name']} {server['version']}, own root {answer['storageRoot']}")

    async def _run_subagents(self) -> None:
        _title("Three subagents in the background, with their live output")
        ids = {name: await self._launch(name, goal) for name, goal in _GOALS.items()}
        await asyncio.sleep(WATCHED_SECONDS)
        _title("Cancel the endless one")
        answer = await self._request("asyncTasks/cancel", taskId=ids["watch"])
        _say(f"watch: {END_WORDS[answer['task']['endReason']]}")
        _title("Wait for the others")
        ended = await self._request("asyncTasks/wait", taskIds=list(ids.values()), timeoutSeconds=10)
        for task in ended["tasks"]:
            self._failed = self._failed or task["status"] == "failed"
            _say(f"{task['subagentName']}: {_end(task)}")
        _title("The reminder for the model's next turn")
        reminder = await self._request("reminders/next")
        _say(reminder["text"])
        await self._request("reminders/delivered", deliveryId=reminder["deliveryId"])

    async def _launch(self, name: str, goal: str) -> str:
        answer = await self._request(
            "asyncTasks/launch", subagentName=name, goalPrompt=goal, notifyModel=True
        )
        task_id: str = answer["task"]["id"]
        self._names[task_id] = name
        await self._request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
        return task_id

    async def _print_tasks(self) -> None:
        answer = await self._request("tasks/list", sort={"by": "lastActivity", "order": "desc"})
        now = wall_clock_ms()
        output.write_table(_STORED_COLUMNS, (_row(task, now) for task in answer["items"]), title_column=1)
        counts = ", ".join(f"{count} {status}" for status, count in answer["counts"].items())
        _say(f"{answer['matched']} tasks: {counts}")

    def _print_events(self, params: Any) -> None:
        name = self._names.get(params["taskId"], params["taskId"][:8])
        for event in params["events"]:
            for line in _lines(event):
                _say(f"{name:>10} | {line}")

    async def _request(self, method: str, **params: Any) -> Any:
        return await self._client.request(method, params, timeout=_ANSWER_SECONDS)


_GOALS = {
    "inventory": "Take stock of this folder",
    "todos": "Find open TODOs",
    "watch": "Tell me when a file changes",
}


def _row(task: dict[str, Any], now: int) -> list[str]:
    cost = (task.get("tokenUsage") or {}).get("cost")
    return [
        stored_status(task["status"], task["outcome"]),
        task["title"],
        task["mode"].get("name", ""),
        output.dollars(cost),
        task["product"],
        output.age(now, task.get("lastActivity")),
    ]


def _lines(event: dict[str, Any]) -> Iterator[str]:
    if event["type"] == "message":
        yield from event["text"].splitlines()
    elif event["type"] == "tool" and event["status"] == "started":
        yield f"[{event['name']}]"
    elif event["type"] == "emit":
        yield f"{event['name']} = {event['value']}"
    elif event["type"] == "state":
        yield f"[{_end(event)}]"


def _end(found: dict[str, Any]) -> str:
    """Say in the words of the panel how a run is, and what it reported."""
    word = END_WORDS[found["endReason"]] if "endReason" in found else STATUS_WORDS[found["status"]]
    report = (found.get("output") or {}).get("final_message") or found.get("error")
    return f"{word}. {report}" if report else word


def _title(text: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        output.write_marked(["\n", text, "\n"])


def _say(text: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        output.echo(text)
