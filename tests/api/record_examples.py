"""Record the examples of the protocol's reference from a real sidecar: `python -m tests.api.record_examples`.

Paths, ids and times are replaced by constants, so that recording again changes only what the sidecar changed.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from sidecar.api.methods import METHODS
from sidecar.cli.demo import files as demo_files
from sidecar.rpc.client import RpcClient

REPO = Path(__file__).parents[2]
EXAMPLES = REPO / "scripts" / "protocol" / "examples.json"
STORED = "0199c3a4-1c00-7a11-8a55-3f0c5d0e1a01"
SAMPLE = STORED[:5]  # how the ids of all stored samples begin
NOW = 1_790_000_000_000
CONSTANTS = {
    "uptimeMs": 5_000,
    "rssBytes": 50_000_000,
    "duration": 61_000,
    "revision": 12,
    "watches": 6,
    "journal": 0,
}
"""The members that depend on the machine and on timing."""
CURSOR = "WyIyYzYzMTgwMDBiOTEzZjg3IiwyXQ"
LIMIT = 3  # elements shown of a long list

Json = dict[str, Any]

AGENT = "---\nname: {name}\ndescription: {description}\nrunner: {name}\n---\n{body}\n"
AGENTS = {
    "reviewer": ("Reviews the changes of this branch.", ""),
    "counter": ("Counts files.", "Count the files of this folder."),
}


class Recorder:
    """A conversation with one sidecar, kept as examples by method."""

    def __init__(self, client: RpcClient, folder: Path) -> None:
        self.client, self.folder = client, folder
        self.examples: dict[str, Json] = {}
        self._attention = asyncio.Event()
        self._ids: dict[str, str] = {}
        self._short_ids: dict[str, str] = {}
        for method, spec in METHODS.items():
            if spec.direction == "toClient" and spec.kind == "notification":
                client.on_notification(method, partial(self._heard, method))
        client.on_request("agent/triggerTurn", self._trigger)

    async def ask(self, method: str, **params: Any) -> Any:
        result = await self.client.request(method, params, timeout=50)
        self.examples.setdefault(method, {"params": params, "result": result})
        return result

    async def tell(self, method: str, **params: Any) -> None:
        await self.client.notify(method, params)
        self.examples.setdefault(method, {"params": params})

    async def question(self) -> None:
        """Wait until a run needs an answer."""
        await asyncio.wait_for(self._attention.wait(), 50)
        self._attention.clear()

    def _heard(self, method: str, params: Any) -> None:
        if params.get("task", {}).get("attention"):
            self._attention.set()
            self.examples[method] = {"params": params}
        if SAMPLE not in str(params):  # whether the samples are reported first differs
            self.examples.setdefault(method, {"params": params})

    async def _trigger(self, params: Any) -> Any:
        self.examples.setdefault("agent/triggerTurn", {"params": params, "result": {"accepted": True}})
        return {"accepted": True}

    def cleaned(self) -> dict[str, Json]:
        """Return the examples in the order of the method table."""
        ordered = {method: self.examples[method] for method in METHODS if method in self.examples}
        self._clean(ordered)  # finds all ids, which some examples shorten
        return {method: self._clean(example) for method, example in ordered.items()}

    def _clean(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self._clean(member, name) for name, member in value.items()}
        if isinstance(value, list):
            shown = value if key == "methods" else value[:LIMIT]
            return [self._clean(member, key) for member in shown]
        if isinstance(value, str):
            return CURSOR if key == "nextCursor" else self._text(value)
        if isinstance(value, int) and value > 1_600_000_000_000:
            return NOW
        return CONSTANTS.get(key, value)

    def _text(self, text: str) -> str:
        text = text.replace(str(self.folder), "/home/me").replace(sys.executable, "python3")
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", self._id, text)
        return re.sub(r"\b[0-9a-f]{8}\b", lambda match: self._short_ids.get(match[0], match[0]), text)

    def _id(self, match: re.Match[str]) -> str:
        number = len(self._ids) + 1
        shown = self._ids.setdefault(match[0], f"{number:08x}-0000-4000-8000-{number:012x}")
        self._short_ids[match[0][:8]] = shown[:8]
        return shown


async def record() -> dict[str, Json]:
    """Play a day with the sidecar."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        workspace, foreign, agents = folder / "orders", folder / "roo", folder / "agents"
        demo_files.write_workspace(workspace)
        demo_files.write_storage(foreign, workspace, NOW)
        agents.mkdir()
        for name, (description, body) in AGENTS.items():
            text = AGENT.format(name=name, description=description, body=body)
            (agents / f"{name}.md").write_text(text)
        env = {
            **os.environ,
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PATH": "/usr/bin:/bin",
        }
        env |= {"XDG_CACHE_HOME": str(folder / "cache"), "SIDECAR_NOW_MS": str(NOW), "PYTHONPATH": str(REPO)}
        serve = [sys.executable, "-m", "sidecar", "serve", "--in-process"]
        async with await RpcClient.spawn(serve, env=env) as client:
            recorder = Recorder(client, folder)
            await _start(recorder, folder)
            await _stored(recorder, workspace)
            await _runs(recorder)
            await _model(recorder)
            await _removed(recorder)
            await recorder.ask("shutdown")
            await recorder.tell("exit")
        return recorder.cleaned()


async def _start(recorder: Recorder, folder: Path) -> None:
    python = sys.executable
    runners = {
        "reviewer": {"type": "acp", "command": [python, "-m", "tests.agents.scripted"]},
        "counter": {"type": "command", "command": ["sh", "-c", "ls | wc -l"]},
    }
    await recorder.ask(
        "initialize",
        protocolVersion=1,
        clientInfo={"name": "example", "version": "1.0"},
        storageRoot=str(folder / "sidecar"),
        foreignRoots=[str(folder / "roo")],
        workspaceFolders=[str(folder / "orders")],
        workspaceTrusted=True,
        settings={"runners": runners, "agents": {"directories": [str(folder / "agents")]}},
    )
    await recorder.tell("workspace/didGrantTrust")
    await recorder.ask("settings/update", settings={"asyncTasks": {"overLimit": "queue"}})
    await recorder.ask("runners/list")
    await recorder.ask("fleet/status")
    await recorder.ask("subagents/list")
    await recorder.ask("subagents/validate", paths=[str(folder / "agents")])


async def _stored(recorder: Recorder, workspace: Path) -> None:
    await recorder.ask("tasks/list", query="status:failed,abandoned", sort={"by": "cost"}, limit=1)
    await recorder.ask("tasks/get", taskId="0199c3a4")
    await recorder.ask("tasks/messages", taskId=STORED, kind="ui", limit=2)
    await recorder.ask("tasks/refresh")
    await recorder.ask("tasks/stats", groupBy=["mode"])
    await _indexed(recorder)
    await recorder.ask("tasks/search", text="layout", limit=1)
    await recorder.ask("tasks/files", taskId=STORED)
    await recorder.ask("tasks/byFile", path=str(workspace / "orders/report.py"))
    await recorder.ask("tasks/export", taskId=STORED, format="markdown", redact=True)
    await recorder.ask("history/doctor")


async def _indexed(recorder: Recorder) -> None:
    """Search until every task is indexed."""
    async with asyncio.timeout(50):
        found = {"indexed": 0, "total": 1}
        while found["indexed"] < found["total"]:
            found = await recorder.client.request("tasks/search", {"text": "layout"})


async def _runs(recorder: Recorder) -> None:
    goal = "usage 900 40 0.02\nrun 'git diff --stat'\nwrite NOTES.md 'Rounding is missing.'"
    launched = await recorder.ask(
        "asyncTasks/launch", subagentName="reviewer", goalPrompt=goal, timeoutSeconds=600
    )
    run = launched["task"]["id"]
    await recorder.ask("asyncTasks/subscribe", taskId=run, afterSeq=0)
    await recorder.question()
    await _answer(recorder, run, "allow_once")
    await recorder.ask("asyncTasks/send", taskId=run, text="say 'Checked the tests too.'")
    await recorder.question()
    await _answer(recorder, run, "allow_always")
    await recorder.ask("asyncTasks/wait", taskIds=[run], timeoutSeconds=50)
    await recorder.ask("asyncTasks/get", taskId=run[:8])
    await recorder.ask("asyncTasks/events", taskId=run, limit=3)
    await recorder.ask("asyncTasks/unsubscribe", taskId=run)
    resumed = await recorder.ask("asyncTasks/resume", taskId=run, text="wait")
    await recorder.ask("asyncTasks/cancel", taskId=resumed["task"]["id"], reason="Not needed any more")
    await _queue(recorder)
    await recorder.ask("asyncTasks/list", status=["completed", "failed"], limit=1)
    await recorder.ask("asyncTasks/cancelAll")
    await recorder.ask("asyncTasks/setMax", max=3)
    remembered = await recorder.ask("permissions/list")
    await recorder.ask("permissions/revoke", permissionIds=[remembered["items"][0]["id"]])


async def _queue(recorder: Recorder) -> None:
    """Queue two runs behind a limit of none, and swap them."""
    await recorder.client.request("asyncTasks/setMax", {"max": 0})
    launch = {"subagentName": "counter", "goalPrompt": "Count them"}
    await recorder.client.request("asyncTasks/launch", launch)
    queued = await recorder.client.request("asyncTasks/launch", launch)
    await recorder.ask("asyncTasks/reorder", taskId=queued["task"]["id"], position=1)
    await recorder.ask("asyncTasks/startNow", taskId=queued["task"]["id"])


async def _answer(recorder: Recorder, run: str, kind: str) -> None:
    attention = (await recorder.client.request("asyncTasks/get", {"taskId": run}))["task"]["attention"]
    option = next(option for option in attention["options"] if option["kind"] == kind)
    await recorder.ask(
        "asyncTasks/answer", taskId=run, requestId=attention["requestId"], optionId=option["optionId"]
    )


async def _model(recorder: Recorder) -> None:
    await recorder.tell("agent/setBusy", busy=True)
    await recorder.ask("tools/list")
    arguments = {"subagent_name": "counter", "goal_prompt": "Count them", "async": True}
    called = await recorder.ask("tools/call", name="task", arguments=arguments)
    await recorder.ask("reminders/status")
    await recorder.client.request("asyncTasks/wait", {"taskIds": [called["metadata"]["agentId"]]})
    pending = await recorder.ask("reminders/next")
    await recorder.ask("reminders/delivered", deliveryId=pending["deliveryId"])
    await recorder.ask("reminders/outbox")
    await recorder.ask("health")
    recorder.examples["agent/triggerTurn"] = {
        "params": {
            "message": pending["text"],
            "taskIds": pending["taskIds"],
            "deliveryId": pending["deliveryId"],
        },
        "result": {"accepted": True},
    }
    recorder.examples["log"] = {"params": {"level": "warning", "message": "the disk is almost full"}}
    recorder.examples["$/progress"] = {"params": {"token": "list-1", "value": {"kind": "begin"}}}
    recorder.examples["settings/didChange"] = {"params": {"settings": {"asyncTasks": {"max": 3}}}}
    recorder.examples["subagents/didChange"] = {"params": {"revision": 12}}


async def _removed(recorder: Recorder) -> None:
    own = (await recorder.client.request("tasks/list", {"query": "product:sidecar"}))["items"]
    first, second = own[0]["id"], own[1]["id"]
    await recorder.ask("tasks/delete", taskIds=[first])
    await recorder.ask("tasks/archive", taskIds=[second])
    await recorder.ask("tasks/listRemoved")
    await recorder.ask("tasks/putAway")
    await recorder.ask("tasks/restore", taskIds=[first])


if __name__ == "__main__":
    recorded = asyncio.run(record())
    if missing := METHODS.keys() - recorded.keys():
        raise SystemExit(f"no example of {', '.join(sorted(missing))}")
    EXAMPLES.write_text(json.dumps(recorded, indent=2, ensure_ascii=False) + "\n")
