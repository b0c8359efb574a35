"""What a client does until its server dies: launch, follow, cancel, ask, and take reminders."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sidecar.api.runs.launches import LaunchParams
from sidecar.rpc.errors import ConnectionClosed, RpcError
from tests.campaign.link import Link
from tests.campaign.notes import ENDED, Notes
from tests.e2e.conftest import RUNNERS

Json = dict[str, Any]

_STREAM = "i=0; while [ $i -lt {lines} ]; do echo line $i; i=$((i+1)); sleep {pause}; done"
# A launch may have to say that its end concerns the model.
_NOTIFY: Json = {"notifyModel": True} if "notify_model" in LaunchParams.__struct_fields__ else {}


class Client:
    """A client of one server; what it learns goes into the notes of the root."""

    def __init__(self, notes: Notes, workspace: Path, dice: random.Random) -> None:
        self.link = Link(self._take_notification, self._take_request)
        self._notes = notes
        self._workspace = workspace
        self._dice = dice

    async def initialize(self) -> Json:
        """Open the root; returns the answer."""
        answer: Json = await self.link.request(
            "initialize",
            protocolVersion=1,
            workspaceFolders=[str(self._workspace)],
            workspaceTrusted=True,
            settings={"runners": RUNNERS, "asyncTasks": {"max": 6}},
        )
        return answer

    async def act(self) -> None:
        """Do everything at once until the server is gone. Raises what no kill explains."""
        actors = [self._launch_many(), self._observe(), self._take_reminders(), self._wait(), self._cancel()]
        async with asyncio.TaskGroup() as group:
            for actor in actors:
                group.create_task(_until_closed(actor))

    async def launch(self, runner: str, goal: str) -> str | None:
        """Launch a run and follow it; None when the server refuses."""
        over = self._dice.choice(["reject", "queue"])
        try:
            answer = await self.link.request(
                "asyncTasks/launch",
                self._takes("launch", "task"),
                subagentName=runner,
                goalPrompt=goal,
                overLimit=over,
                **_NOTIFY,
            )
        except RpcError:
            return None
        task_id: str = answer["task"]["id"]
        self._notes.launched[task_id] = runner
        await self.link.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
        return task_id

    async def drain_reminders(self) -> set[str]:
        """Take and acknowledge reminders until there are none; return the ids that they named."""
        reported: set[str] = set()
        while task_ids := await self._take_reminder(acknowledge=True):
            reported |= set(task_ids)
        return reported

    async def get(self, task_id: str, source: str = "get") -> Json:
        """Ask for one run and note what is reported of it."""
        answer = await self.link.request("asyncTasks/get", self._takes(source, "task"), taskId=task_id)
        task: Json = answer["task"]
        return task

    async def _launch_many(self) -> None:
        for _ in range(self._dice.randint(2, 8)):
            runner = self._dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
            goal = "do it"
            if runner == "events":
                goal = _STREAM.format(
                    lines=self._dice.randint(1, 60), pause=self._dice.choice([0, 0.002, 0.01])
                )
            await self.launch(runner, goal)
            await asyncio.sleep(self._dice.uniform(0, 0.05))

    async def _observe(self) -> None:
        while not self.link.closed.is_set():
            await asyncio.sleep(self._dice.uniform(0, 0.03))
            if self._dice.random() < 0.3:
                await self.link.request("asyncTasks/list", self._takes("list", "items"))
            elif self._notes.launched:
                await self.get(self._dice.choice(list(self._notes.launched)))

    async def _wait(self) -> None:
        while not self.link.closed.is_set():
            await asyncio.sleep(self._dice.uniform(0, 0.05))
            if not self._notes.launched:
                continue
            some = self._dice.sample(list(self._notes.launched), min(3, len(self._notes.launched)))
            await self.link.request(
                "asyncTasks/wait",
                self._takes("wait", "tasks"),
                taskIds=some,
                mode="any",
                timeoutSeconds=self._dice.choice([0.02, 0.2]),
            )

    async def _cancel(self) -> None:
        while not self.link.closed.is_set():
            await asyncio.sleep(self._dice.uniform(0.02, 0.2))
            alive = [task_id for task_id in self._notes.launched if task_id not in self._notes.ends]
            if alive:
                task_id = self._dice.choice(alive)
                self._notes.cancels.add(task_id)
                try:
                    await self.link.request(
                        "asyncTasks/cancel", self._takes("cancel", "task"), taskId=task_id
                    )
                except RpcError:
                    continue  # it has ended meanwhile

    def _takes(self, source: str, member: str) -> Callable[[Json], None]:
        """Return what notes the task or the tasks that an answer holds as `member`."""

        def take(answer: Json) -> None:
            tasks = answer[member]
            for task in tasks if isinstance(tasks, list) else [tasks]:
                self._notes.take_task(task, source)

        return take

    async def _take_reminders(self) -> None:
        while not self.link.closed.is_set():
            await asyncio.sleep(self._dice.uniform(0, 0.1))
            await self._take_reminder(acknowledge=self._dice.random() < 0.6)

    async def _take_reminder(self, *, acknowledge: bool) -> list[str]:
        reminder = await self.link.request("reminders/next")
        task_ids: list[str] = reminder["taskIds"]
        self._notes.take_reminder(task_ids, "next")
        if acknowledge and task_ids:
            self._notes.doubtful |= set(task_ids)
            await self.link.request("reminders/delivered", deliveryId=reminder["deliveryId"])
            self._notes.doubtful -= set(task_ids)
            self._notes.acknowledged |= set(task_ids)
        return task_ids

    def _take_notification(self, method: str, params: Any) -> None:
        if method == "asyncTasks/didChange":
            self._notes.take_task(params["task"], "didChange")
        elif method == "asyncTasks/didOutput":
            self._notes.take_events(params["taskId"], params["events"])
            for event in params["events"]:
                if event["type"] == "state" and event["status"] in ENDED:
                    self._notes.take_task({"id": params["taskId"], **event}, "didOutput")

    def _take_request(self, method: str, params: Any) -> Json | None:
        if method != "agent/triggerTurn":
            return None
        self._notes.take_reminder(params["taskIds"], "triggerTurn")
        accepted = self._dice.random() < 0.3
        if accepted:
            self._notes.doubtful |= set(params["taskIds"])
        return {"accepted": accepted}


_WEIGHTS = {"cat": 5, "events": 5, "fail": 3, "wait": 3, "stubborn": 1, "vanish": 1}


async def _until_closed(actor: Any) -> None:
    try:
        await actor
    except ConnectionClosed:
        return
