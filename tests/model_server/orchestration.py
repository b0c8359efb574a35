"""Simulate what a model does with the sidecar's tools."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.model_server.script import SLOW, Reply, Tool
from tests.model_server.served_tools import FOUND, call_served

Steps = list[tuple[str, Mapping[str, Any]]]

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FIRST_RESULT = "the first result"
SECOND_RESULT = "the second result"
_LAUNCHES: Final = {
    "orchestrate": [("cat", FIRST_RESULT), ("cat", SECOND_RESULT), ("wait", "forever")],
    "receive": [("gated", FIRST_RESULT)],
    "collect": [],
}


def next_step(plan: str, tools: Sequence[Tool], answers: Sequence[str]) -> Reply:
    """Return the next call of a plan, given what the calls so far have answered."""
    searches = [answer for answer in answers if FOUND in answer]
    answers = [answer for answer in answers if FOUND not in answer]
    launches = _LAUNCHES[plan]
    ids = [found.group() for answer in answers[: len(launches)] if (found := _UUID.search(answer))]
    if len(ids) < min(len(answers), len(launches)):
        return Reply([f"A launch failed: {answers}"])
    steps: Steps = [
        ("task", {"subagent_name": name, "goal_prompt": goal, "async": True}) for name, goal in launches
    ]
    if len(ids) == len(launches):
        steps += _steps_after_launches(plan, ids)
    if len(answers) >= len(steps):
        return SLOW if plan == "receive" else Reply(["All ", "done."])
    name, arguments = steps[len(answers)]
    return call_served(tools, [*searches, *answers], "subagent-sidecar", name, arguments)


def _steps_after_launches(plan: str, ids: Sequence[str]) -> Steps:
    match plan:
        case "orchestrate":  # do something else, wait for two, read one result and cancel the third
            return [
                ("list_tasks", {}),
                ("check_async_tasks", _wait_for(ids[:2])),
                ("check_async_tasks", {"task_id": ids[0]}),
                ("check_async_tasks", {"task_id": ids[2], "action": "cancel"}),
            ]
        case "receive":  # get the end with this answer, and then think about it for a minute
            return [("check_async_tasks", _wait_for(ids))]
        case _:  # see what there is
            return [("list_tasks", {}), ("check_async_tasks", {}), ("list_tasks", {"limit": 1})]


def _wait_for(ids: Sequence[str]) -> dict[str, Any]:
    return {"action": "wait", "task_ids": list(ids), "mode": "all", "timeout_seconds": 30}
