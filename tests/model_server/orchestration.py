"""A model with the sidecar's tools: launches two subagents, waits, reads one result, cancels the other."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.model_server.script import Reply, Tool

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SEARCH = "ToolSearch"
"""With which claude finds the tools of servers, which it does not declare at first."""
FIRST_RESULT = "the first result"


def next_step(tools: Sequence[Tool], answers: Sequence[str]) -> Reply:
    """Return the next call, given what the calls so far have answered."""
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
    names = [each.name for each in tools]
    tool = next((each for each in names if "sidecar" in each and re.search(rf"[_:]{name}$", each)), None)
    if tool is not None:
        return Reply((), False, tool, arguments)
    if _SEARCH in names:
        wanted = ",".join(f"mcp__subagent-sidecar__{each}" for each in ("task", "check_async_tasks"))
        return Reply((), False, _SEARCH, {"query": f"select:{wanted}", "max_results": 5})
    return Reply(["The tools of the sidecar are missing."])
