"""A model with the sidecar's tools: launches two subagents, waits, reads one result, cancels the other."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.model_server.script import Reply, Tool
from tests.model_server.served_tools import FOUND, call_served

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FIRST_RESULT = "the first result"


def next_step(tools: Sequence[Tool], answers: Sequence[str]) -> Reply:
    """Return the next call, given what the calls so far have answered."""
    searches = [answer for answer in answers if FOUND in answer]
    answers = [answer for answer in answers if FOUND not in answer]
    ids = [found.group() for answer in answers[:2] if (found := _UUID.search(answer))]
    if len(ids) < min(len(answers), 2):
        return Reply([f"A launch failed: {answers}"])
    steps: list[tuple[str, Mapping[str, Any]]] = [
        ("task", {"subagent_name": "cat", "goal_prompt": FIRST_RESULT, "async": True}),
        ("task", {"subagent_name": "wait", "goal_prompt": "forever", "async": True}),
    ]
    if len(ids) == 2:
        steps += [
            ("check_async_tasks", {"action": "wait", "task_ids": ids, "timeout_seconds": 30}),
            ("check_async_tasks", {"task_id": ids[0]}),
            ("check_async_tasks", {"task_id": ids[1], "action": "cancel"}),
        ]
    if len(answers) >= len(steps):
        return Reply(["All ", "done."])
    name, arguments = steps[len(answers)]
    return call_served(tools, [*searches, *answers], "subagent-sidecar", name, arguments)
