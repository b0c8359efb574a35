"""A sidecar that is killed: what ran is reported as lost, what had ended is kept, nothing is left running."""

import os
import signal

from sidecar.subagents.runners.process.marker import find
from tests.e2e.conftest import Sidecar, Start


async def killed(sidecar: Sidecar) -> None:
    os.kill(sidecar.client.pid, signal.SIGKILL)
    assert await sidecar.client.wait(5) is not None


async def test_what_ran_is_lost_and_its_output_is_kept(sidecar: Sidecar, start: Start) -> None:
    task_id = await sidecar.launch_ready("stubborn")
    seen = sidecar.events[task_id]
    await killed(sidecar)
    again = await start()
    assert find([task_id]) == []
    task = await again.task(task_id)
    assert (task["status"], task["endReason"]) == ("failed", "lost")
    assert task["partial"]["final_message"] == "ready"
    page = await again.request("asyncTasks/events", taskId=task_id)
    assert page["events"][: len(seen)] == seen
    assert page["events"][-1]["endReason"] == "lost"
    (row,) = (await again.request("tasks/list"))["items"]
    assert row["status"] == "failed"


async def test_what_a_cancel_had_not_stopped_yet_is_ended_too(sidecar: Sidecar, start: Start) -> None:
    task_id = await sidecar.launch_ready("stubborn")
    await sidecar.request("asyncTasks/cancel", taskId=task_id)
    assert find([task_id])  # it ignores SIGTERM, and has two seconds before SIGKILL
    await killed(sidecar)
    again = await start()
    assert find([task_id]) == []
    assert (await again.task(task_id))["endReason"] == "cancelledByUser"


async def test_queued_tasks_are_lost_too_and_have_no_folder(sidecar: Sidecar, start: Start) -> None:
    await sidecar.request("asyncTasks/setMax", max=1)
    await sidecar.launch_ready("wait")
    queued = await sidecar.launch("cat", overLimit="queue")
    await killed(sidecar)
    again = await start()
    assert (await again.task(queued))["endReason"] == "lost"
    assert queued not in [task["id"] for task in (await again.request("tasks/list"))["items"]]


async def test_results_and_their_pending_notices_survive(sidecar: Sidecar, start: Start) -> None:
    reported, unreported = await sidecar.launch("cat", "one", notifyModel=True), ""
    await sidecar.ended(reported)
    reminder = await sidecar.request("reminders/next")
    await sidecar.request("reminders/delivered", deliveryId=reminder["deliveryId"])
    unreported = await sidecar.launch("cat", "two", notifyModel=True)
    await sidecar.ended(unreported)
    await killed(sidecar)
    again = await start()
    assert (await again.task(reported))["output"]["final_message"] == "one"
    reminder = await again.request("reminders/next")
    assert reminder["taskIds"] == [unreported]
    assert '"final_message": "two"' in reminder["text"]


async def test_lost_runs_ride_in_the_next_reminder_and_start_no_turn(sidecar: Sidecar, start: Start) -> None:
    await sidecar.launch_ready("wait")
    task_id = await sidecar.launch_ready("wait", notifyModel=True)
    await killed(sidecar)
    again = await start(initialize=False)
    turns: list[object] = []

    async def take(params: object) -> dict[str, bool]:
        turns.append(params)
        return {"accepted": True}

    again.client.on_request("agent/triggerTurn", take)
    await again.initialize()
    assert (await again.request("reminders/next"))["taskIds"] == [task_id]
    assert (await again.request("reminders/status"))["text"].endswith(f"[FAILED] ({task_id[:8]}...)")
    assert turns == []
