"""What the model sees of its async tasks, to the letter."""

import json
from typing import Any

import pytest

from sidecar.api.runs.async_tasks import Placement, Progress, Waiting
from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.tasks.model import AsyncTaskInfo, QueuedTask
from sidecar.tools import CheckAsyncTasksTool
from sidecar.tools.async_task_texts import format_duration, iso_time
from sidecar.tools.result import ToolError

NOW = 1_700_000_000_000
GOAL = {
    "terminate_reason": "GOAL",
    "emitted_vars": {"k": "v", "o": {"x": 1}, "l": [1, None]},
    "final_message": "m",
}


@pytest.fixture
def time() -> list[int]:
    return [NOW]


@pytest.fixture
def manager(time: list[int]) -> AsyncTaskManager:
    manager = AsyncTaskManager(5, now=lambda: time[0])
    for id, name in (
        ("aaaaaaaa-1", "scout"),
        ("aaaaaaaa-2", "writer"),
        ("bbbbbbbb-1", "scout"),
        ("c", "scout"),
    ):
        manager.register_task(id=id, subagent_name=name, goal_prompt="look around", abort=lambda: None)
    time[0] += 61_999
    manager.complete_task("aaaaaaaa-2", GOAL)
    manager.fail_task("bbbbbbbb-1", "broke")
    manager.cancel_task("c")
    return manager


@pytest.fixture
def tool(manager: AsyncTaskManager) -> CheckAsyncTasksTool:
    return CheckAsyncTasksTool(manager)


async def test_an_empty_list_says_so() -> None:
    result = await CheckAsyncTasksTool(AsyncTaskManager()).execute({})
    assert result.llm_content == "No async tasks."
    assert result.return_display == "No async tasks are currently running or completed."
    assert result.metadata == {"count": 0}


@pytest.mark.parametrize(
    "arguments", [{}, {"task_id": ""}, {"task_id": None, "action": None}, {"action": "list", "task_id": "c"}]
)
async def test_the_list_has_counts_and_a_line_a_task(tool: CheckAsyncTasksTool, arguments: Any) -> None:
    result = await tool.execute(arguments)
    assert result.llm_content == (
        "Async Tasks Summary:\n- Running: 1\n- Completed: 1\n- Failed: 1\n- Cancelled: 1\n\nDetails:\n"
        " [aaaaaaaa] scout - running (1m 1s)\n"
        "[OK] [aaaaaaaa] writer - completed (1m 1s)\n"
        "[ERROR] [bbbbbbbb] scout - failed (1m 1s)\n"
        " [c] scout - cancelled (1m 1s)"
    )
    assert result.return_display == (
        " **scout** (`aaaaaaaa`) - running\n[OK] **writer** (`aaaaaaaa`) - completed\n"
        "[ERROR] **scout** (`bbbbbbbb`) - failed\n **scout** (`c`) - cancelled"
    )
    assert result.metadata == {"count": 4, "running": 1, "completed": 1, "failed": 1, "cancelled": 1}
    assert result.error is None


async def test_queued_tasks_are_counted_and_listed_last(manager: AsyncTaskManager, time: list[int]) -> None:
    waiting = [QueuedTask("qqqqqqqq-1", "scout", "later", time[0] - 5_000)]
    result = await CheckAsyncTasksTool(manager, queued=lambda: waiting).execute({})
    lines = result.llm_content.split("\n")
    assert lines[1:3] == ["- Running: 1", "- Queued: 1"]
    assert lines[-1] == " [qqqqqqqq] scout - queued (5s)"
    assert result.metadata is not None
    assert (result.metadata["queued"], result.metadata["count"]) == (1, 5)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (72, "rate limit reached, starts in 1m 12s at the earliest"),
        (-1, "rate limit reached, starts in 0s at the earliest"),
        (None, "rate limit reached, another task of its runner tries first"),
    ],
)
async def test_a_held_task_is_listed_with_its_reason(
    manager: AsyncTaskManager, time: list[int], seconds: int | None, words: str
) -> None:
    until = None if seconds is None else time[0] + seconds * 1_000
    held = Waiting(reason="rateLimit", until=until)
    queued = [QueuedTask("qqqqqqqq-1", "scout", "later", time[0] - 5_000, held)]
    tool = CheckAsyncTasksTool(manager, queued=lambda: queued)
    assert (await tool.execute({})).llm_content.split("\n")[-1] == f" [qqqqqqqq] scout - queued (5s): {words}"
    details = await tool.execute({"task_id": "qq"})
    assert json.loads(details.llm_content)["waiting"] == words
    assert details.return_display.endswith(f"Waiting: {words}")


async def test_a_task_that_waits_for_a_cluster_says_what_it_needs(
    manager: AsyncTaskManager, time: list[int]
) -> None:
    waiting, place = Waiting(reason="clusterSlots"), Placement(kind="ray", state="waiting")
    labeled = Placement(kind="ray", state="waiting", labels={"region": "here"}, slots=2)
    queued = [
        QueuedTask(f"{name}-1", "a", "g", time[0], waiting, each)
        for name, each in (("q", place), ("r", labeled))
    ]
    tool = CheckAsyncTasksTool(manager, queued=lambda: queued)
    assert [json.loads((await tool.execute({"task_id": each})).llm_content)["waiting"] for each in "qr"] == [
        "no free slot on the cluster",
        "no free slot on the cluster, needs a node with region=here, 2 slots",
    ]


async def test_a_queued_task_can_be_checked_and_cancelled(manager: AsyncTaskManager) -> None:
    cancelled: list[str] = []

    async def cancel(id: str) -> bool:
        cancelled.append(id)
        return True

    tool = CheckAsyncTasksTool(
        manager,
        queued=lambda: [QueuedTask("qqqqqqqq-1", "scout", "later", NOW)],
        cancel=cancel,
    )
    assert json.loads((await tool.execute({"task_id": "qq"})).llm_content)["status"] == "queued"
    result = await tool.execute({"task_id": "qq", "action": "cancel"})
    assert (result.llm_content, cancelled) == ("Task qqqqqqqq-1 cancelled successfully.", ["qqqqqqqq-1"])


async def test_a_peek_shows_all_of_one_task(tool: CheckAsyncTasksTool) -> None:
    result = await tool.execute({"task_id": "aaaaaaaa-2"})
    assert json.loads(result.llm_content) == {
        "id": "aaaaaaaa-2",
        "subagentName": "writer",
        "goalPrompt": "look around",
        "status": "completed",
        "launchedAt": "2023-11-14T22:13:20.000Z",
        "duration": "1m 1s",
        "completedAt": "2023-11-14T22:14:21.999Z",
        "output": GOAL,
    }
    assert result.llm_content.startswith('{\n  "id": "aaaaaaaa-2",\n  "subagentName"')
    assert result.metadata == json.loads(result.llm_content)
    assert result.return_display == (
        "[OK] **writer**\nID: `aaaaaaaa-2`\nStatus: completed\nGoal: look around\nDuration: 1m 1s\n"
        "Emitted variables:\n  - k: v\n  - o: [object Object]\n  - l: 1,"
    )


async def test_a_peek_at_a_running_task_shows_its_progress(manager: AsyncTaskManager) -> None:
    done = Progress(turns=3, tool_calls=5, current_tool="npm test", output_tokens=70, last_activity_at=NOW)
    tool = CheckAsyncTasksTool(manager, progress=lambda task_id: done)
    result = await tool.execute({"task_id": "aaaaaaaa-1"})
    assert json.loads(result.llm_content)["progress"] == {
        "turns": 3,
        "toolCalls": 5,
        "currentTool": "npm test",
        "outputTokens": 70,
        "lastActivityAt": "2023-11-14T22:13:20.000Z",
    }
    assert result.return_display.endswith("\nProgress: turns 3, tool calls 5, now npm test")
    assert "progress" not in json.loads((await tool.execute({"task_id": "aaaaaaaa-2"})).llm_content)


async def test_a_peek_at_a_failure_has_its_error(tool: CheckAsyncTasksTool) -> None:
    result = await tool.execute({"task_id": "b", "action": "peek"})
    assert json.loads(result.llm_content)["error"] == "broke"
    assert result.return_display.endswith("\nError: broke")


async def test_dots_follow_only_what_was_cut(manager: AsyncTaskManager) -> None:
    variables = {"fits": "x" * 50, "cut": "x" * 51, "pair": "x" * 49 + "😀"}
    manager.register_task(id="d", subagent_name="n", goal_prompt="g" * 101, abort=lambda: None)
    manager.complete_task("d", {"terminate_reason": "GOAL", "emitted_vars": variables})
    display = (await CheckAsyncTasksTool(manager).execute({"task_id": "d"})).return_display.split("\n")
    assert f"Goal: {'g' * 100}..." in display
    assert display[-3:] == [
        f"  - fits: {'x' * 50}",
        f"  - cut: {'x' * 50}...",
        f"  - pair: {'x' * 49}\ud83d...",
    ]


async def test_an_exact_id_wins_over_those_it_starts(
    manager: AsyncTaskManager, tool: CheckAsyncTasksTool
) -> None:
    manager.register_task(id="aaaaaaaa", subagent_name="exact", goal_prompt="g", abort=lambda: None)
    assert json.loads((await tool.execute({"task_id": "aaaaaaaa"})).llm_content)["subagentName"] == "exact"


@pytest.mark.parametrize("action", ["peek", "cancel"])
async def test_an_ambiguous_prefix_names_the_candidates(
    tool: CheckAsyncTasksTool, manager: AsyncTaskManager, action: str
) -> None:
    result = await tool.execute({"task_id": "aaaa", "action": action})
    rows = "- aaaaaaaa... (scout)\n- aaaaaaaa... (writer)"
    assert result.llm_content == f"Ambiguous task ID prefix 'aaaa'. Candidates:\n{rows}"
    assert result.return_display == f"Ambiguous prefix. Did you mean:\n{rows}"
    assert result.error == ToolError("Ambiguous task ID", "PARAMETER_VALIDATION")
    assert len(manager.get_running_tasks()) == 1


@pytest.mark.parametrize("action", ["peek", "cancel"])
async def test_an_unknown_id_is_not_found(tool: CheckAsyncTasksTool, action: str) -> None:
    result = await tool.execute({"task_id": "zz", "action": action})
    assert result.llm_content == "No async task found with ID or prefix 'zz'."
    assert result.return_display == "Task not found: zz"
    assert result.error == ToolError("Task not found", "PARAMETER_VALIDATION")


async def test_an_end_that_the_list_no_longer_has_is_shown_by_its_whole_id(manager: AsyncTaskManager) -> None:
    seen = {"dropped"}

    async def recorded(task_id: str) -> AsyncTaskInfo | None:
        if task_id not in ("dropped", "others"):
            return None
        return AsyncTaskInfo(
            id=task_id, subagent_name="scout", goal_prompt="g", status="failed", launched_at=1, error="no key"
        )

    tool = CheckAsyncTasksTool(manager, recorded=recorded, sees=seen.__contains__)
    assert json.loads((await tool.execute({"task_id": "dropped"})).llm_content)["error"] == "no key"
    for arguments in ({"task_id": "dropped", "action": "cancel"}, {"task_id": "drop"}, {"task_id": "others"}):
        assert (await tool.execute(arguments)).llm_content.startswith("No async task found")
    assert "no key" in (await tool.execute({"task_id": "others", "scope": "all"})).llm_content


async def test_cancel_ends_a_running_task_once(tool: CheckAsyncTasksTool, manager: AsyncTaskManager) -> None:
    arguments = {"task_id": "aaaaaaaa-1", "action": "cancel"}
    first, second = await tool.execute(arguments), await tool.execute(arguments)
    assert first.llm_content == "Task aaaaaaaa-1 cancelled successfully."
    assert first.return_display == "**aaaaaaaa-1** cancelled."
    assert second.llm_content == "Task aaaaaaaa-1 was already terminal (not running)."
    assert second.error is None
    assert manager.get_running_tasks() == []


async def test_cancel_needs_an_id(tool: CheckAsyncTasksTool) -> None:
    result = await tool.execute({"action": "cancel"})
    assert result.llm_content == "Cannot cancel: no task_id provided."
    assert result.error == ToolError("task_id is required for cancel action", "PARAMETER_VALIDATION")


async def test_a_peek_without_an_id_is_a_peek_at_the_empty_prefix(tool: CheckAsyncTasksTool) -> None:
    assert "Ambiguous" in (await tool.execute({"action": "peek"})).llm_content


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"task": "a"}, "Unknown parameter 'task'"),
        ({"task_id": 1}, "'task_id' must be a string"),
        ({"task_id": True}, "'task_id' must be a string"),
        ({"action": "stop"}, "'action' must be one of list, peek, cancel, wait, send, not 'stop'"),
        ({"action": []}, "'action' must be a string"),
        ("list", "must be an object"),
    ],
)
async def test_bad_arguments_are_refused_by_name(
    tool: CheckAsyncTasksTool, arguments: Any, named: str
) -> None:
    result = await tool.execute(arguments)
    assert result.error is not None
    assert result.error.type == "PARAMETER_VALIDATION"
    assert named in result.llm_content


async def test_a_peek_over_the_bound_is_cut_and_says_how_to_see_more(manager: AsyncTaskManager) -> None:
    manager.register_task(id="big", subagent_name="n", goal_prompt="g", abort=lambda: None)
    manager.complete_task("big", {"terminate_reason": "GOAL", "emitted_vars": {"v": "x" * 50_000}})
    result = await CheckAsyncTasksTool(manager).execute({"task_id": "big"})
    details = json.loads(result.llm_content)
    assert len(result.llm_content) <= 20_000
    assert details["truncated"] is True
    assert "tools.maxChars = 20000" in details["remedy"]
    assert details["id"] == "big"
    assert result.metadata == details


async def test_a_long_list_is_cut_at_the_bound(manager: AsyncTaskManager) -> None:
    for number in range(1_000):
        manager.register_task(id=f"x{number}", subagent_name="n", goal_prompt="g", abort=lambda: None)
    result = await CheckAsyncTasksTool(manager, max_chars=2_000).execute({})
    assert len(result.llm_content) <= 2_000
    assert "more lines; give a task_id" in result.llm_content


async def test_looking_does_not_mark_a_result_as_delivered(
    tool: CheckAsyncTasksTool, manager: AsyncTaskManager
) -> None:
    await tool.execute({})
    await tool.execute({"task_id": "aaaaaaaa-2"})
    assert len(manager.get_pending_notifications()) == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "List all async tasks"),
        ({"task_id": "ab"}, "Check status of async task 'ab'"),
        ({"task_id": "ab", "action": "cancel"}, "Cancel async task 'ab'"),
        ({"task_id": 7}, "Check Async Tasks"),
    ],
)
def test_a_call_is_described(tool: CheckAsyncTasksTool, arguments: Any, text: str) -> None:
    assert tool.describe(arguments) == text


def test_the_declaration_is_the_required_one(tool: CheckAsyncTasksTool) -> None:
    assert (tool.name, tool.display_name) == ("check_async_tasks", "Check Async Tasks")
    assert tool.parameter_schema["additionalProperties"] is False
    assert list(tool.parameter_schema["properties"])[:2] == ["task_id", "action"]
    assert tool.description == (
        "Check the status of background async tasks. Call with no arguments to list all tasks, "
        "or provide a task_id (or prefix) to get detailed info about a specific task."
    )
    assert tool.parameter_schema["properties"]["task_id"]["description"] == (
        "Optional task ID or unique prefix to get details for a specific task."
    )
    assert tool.kind == "think"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"),
        (59_999, "59s"),
        (60_000, "1m 0s"),
        (3_599_999, "59m 59s"),
        (90_061_000, "25h 1m"),
        (-1, "-1s"),
    ],
)
def test_durations_are_floored(ms: int, text: str) -> None:
    assert format_duration(NOW, NOW + ms) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (10**18, "9999-12-31T23:59:59.999Z"),
        (-(10**18), "0001-01-01T00:00:00.000Z"),
    ],
)
def test_times_are_printed_as_iso(ms: int, text: str) -> None:
    assert iso_time(ms) == text
