"""A model with the sidecar's tools: launches three subagents, does something else, and waits for two.

Then it reads one result and cancels the third.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.model_server.script import Reply, Tool
from tests.model_server.served_tools import FOUND, call_served

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FIRST_RESULT = "the first result"
SECOND_RESULT = "the second result"
_LAUNCHES = [("cat", FIRST_RESULT), ("cat", SECOND_RESULT), ("wait", "forever")]


def next_step(tools: Sequence[Tool], answers: Sequence[str]) -> Reply:
    """Return the next call, given what the calls so far have answered."""
    searches = [answer for answer in answers if FOUND in answer]
    answers = [answer for answer in answers if FOUND not in answer]
    ids = [found.group() for answer in answers[: len(_LAUNCHES)] if (found := _UUID.search(answer))]
    if len(ids) < min(len(answers), len(_LAUNCHES)):
        return Reply([f"A launch failed: {answers}"])
    steps: list[tuple[str, Mapping[str, Any]]] = [
        ("task", {"subagent_name": name, "goal_prompt": goal, "async": True}) for name, goal in _LAUNCHES
    ]
    if len(ids) == len(_LAUNCHES):
        steps += [
            ("list_tasks", {}),
            (
                "check_async_tasks",
                {"action": "wait", "task_ids": ids[:2], "mode": "all", "timeout_seconds": 30},
            ),
            ("check_async_tasks", {"task_id": ids[0]}),
            ("check_async_tasks", {"task_id": ids[2], "action": "cancel"}),
        ]
    if len(answers) >= len(steps):
        return Reply(["All ", "done."])
    name, arguments = steps[len(answers)]
    return call_served(tools, [*searches, *answers], "subagent-sidecar", name, arguments)
