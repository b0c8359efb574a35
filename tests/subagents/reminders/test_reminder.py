"""The text that the model gets, to the letter."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.javascript.printing import json_stringify
from sidecar.subagents import AsyncTaskManager, AsyncTaskReminderService
from sidecar.subagents.reminders import bounded_json, reminder
from sidecar.subagents.reminders.reminder import (
    Reminder,
    render_block,
    render_reminder,
)
from sidecar.subagents.tasks.model import AsyncTaskInfo

Start = Callable[..., AsyncTaskInfo]
GOAL = {"final_message": "done", "emitted_vars": {"n": 1.0, "o": {}}, "terminate_reason": "GOAL"}
BLOCK = """{
  "agent_id": "a",
  "terminate_reason": "GOAL",
  "emitted_vars": {
    "n": 1,
    "o": {}
  },
  "final_message": "done"
}"""


@pytest.fixture
def service(manager: AsyncTaskManager) -> AsyncTaskReminderService:
    return AsyncTaskReminderService(manager)


def ended(
    status: Any = "completed", output: Any = GOAL, error: str | None = None, id: str = "a"
) -> AsyncTaskInfo:
    return AsyncTaskInfo(id, "scout", "look", status, 1, 2, None, output, error)


def test_nothing_gives_nothing(service: AsyncTaskReminderService) -> None:
    assert service.generate_status_summary() == ""
    assert service.generate_reminder() == Reminder("", [])
    assert str(service.generate_reminder()) == ""


def test_the_summary_has_a_line_a_task_with_a_short_id(
    manager: AsyncTaskManager, start: Start, service: AsyncTaskReminderService
) -> None:
    for id in ("0123456789", "b", "c", "d"):
        start(id)
    manager.complete_task("b", GOAL)
    manager.fail_task("c", "e")
    manager.cancel_task("d")
    assert service.generate_status_summary() == (
        "[ASYNC TASKS: 4 total]\n"
        "[1] scout - [RUNNING] (01234567...)\n"
        "[2] scout - [DONE] (b...)\n"
        "[3] scout - [FAILED] (c...)\n"
        "[4] scout - [CANCELLED] (d...)"
    )


def test_a_reminder_frames_the_blocks_and_the_running_count(
    manager: AsyncTaskManager, start: Start, service: AsyncTaskReminderService
) -> None:
    for id in "abc":
        start(id)
    manager.complete_task("a", GOAL)
    manager.fail_task("b", "broke")
    failed = '{\n  "agent_id": "b",\n  "status": "failed",\n  "error": "broke"\n}'
    assert service.generate_reminder() == Reminder(
        f"---\nSystem Note: Async Task Status\n\n2 async task(s) completed:\n\n{BLOCK}\n\n{failed}\n\n"
        "1 async task(s) still running.\n---",
        ["a", "b"],
    )


def test_running_tasks_alone_make_a_reminder_that_carries_nothing(
    start: Start, service: AsyncTaskReminderService
) -> None:
    start("a")
    reminder = service.generate_reminder()
    assert str(reminder) == "---\nSystem Note: Async Task Status\n\n1 async task(s) still running.\n---"
    assert reminder.task_ids == []


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (ended(), BLOCK),
        (ended("cancelled", None), '{\n  "agent_id": "a",\n  "status": "cancelled"\n}'),
        (ended("running", None), ""),
        (ended("completed", None), ""),
        (
            ended(output={"terminate_reason": "x", "final_message": ""}),
            '{\n  "agent_id": "a",\n  "terminate_reason": "x",\n  "emitted_vars": {},\n'
            '  "final_message": ""\n}',
        ),
    ],
)
def test_each_end_has_its_block(service: AsyncTaskReminderService, task: AsyncTaskInfo, text: str) -> None:
    assert service.format_completion_notification(task) == text


def test_marking_takes_exactly_the_ids_named(
    manager: AsyncTaskManager, start: Start, service: AsyncTaskReminderService
) -> None:
    for id in "ab":
        start(id)
        manager.complete_task(id, GOAL)
    service.mark_notified(["a", "unknown"])
    assert [task.id for task in manager.get_pending_notifications()] == ["b"]
    assert service.has_pending_notifications()
    service.mark_all_notified()
    assert not service.has_pending_notifications()


def test_building_a_reminder_changes_nothing(
    manager: AsyncTaskManager, start: Start, service: AsyncTaskReminderService
) -> None:
    start("a")
    manager.complete_task("a", GOAL)
    assert service.generate_reminder() == service.generate_reminder()
    assert service.has_pending_notifications()


def test_enriched_blocks_carry_name_goal_and_partial_behind_the_required_keys(
    manager: AsyncTaskManager,
) -> None:
    service = AsyncTaskReminderService(manager, enrich=True)
    block = json.loads(service.format_completion_notification(ended("failed", GOAL, "broke")))
    assert list(block) == ["agent_id", "status", "error", "subagent_name", "goal", "partial"]
    assert block["partial"] == {"final_message": "done", "emitted_vars": {"n": 1, "o": {}}}
    assert list(json.loads(service.format_completion_notification(ended()))) == [
        *json.loads(BLOCK),
        "subagent_name",
        "goal",
    ]


def test_what_enriching_adds_is_bounded() -> None:
    task = ended("failed", {"emitted_vars": {"v": "x" * 100_000}}, "broke")
    task.goal_prompt = "g" * 100_000
    assert len(render_block(task, enrich=True)) < 4_000


def test_a_reminder_within_its_bound_is_not_touched() -> None:
    whole = render_reminder([ended()], 1)
    assert render_reminder([ended()], 1, max_chars=len(whole.text)) == whole


def test_running_tasks_alone_are_counted_within_any_bound() -> None:
    assert render_reminder([], 1, max_chars=1) == render_reminder([], 1)


def test_a_reminder_over_its_bound_cuts_values_and_names_the_remedy() -> None:
    big = ended(
        output={"terminate_reason": "GOAL", "emitted_vars": {"v": "x" * 50_000}, "final_message": "m"}
    )
    reminder = render_reminder([big, ended(id="b")], 0, max_chars=5_000)
    assert len(reminder.text) <= 5_000
    assert reminder.task_ids == ["a", "b"]
    assert '"truncated": true' in reminder.text
    assert 'check_async_tasks with task_id \\"a\\"' in reminder.text
    assert BLOCK.replace('"a"', '"b"') in reminder.text


def test_what_does_not_fit_at_all_stays_for_the_next_reminder() -> None:
    many = [ended(id=f"{number:036}", output={"emitted_vars": {"v": "x" * 2_000}}) for number in range(100)]
    reminder = render_reminder(many, 0, max_chars=5_000)
    assert len(reminder.text) <= 5_000
    carried = len(reminder.task_ids)
    assert reminder.task_ids == [task.id for task in many[:carried]]
    assert f"{carried} async task(s) completed:" in reminder.text
    assert f"{100 - carried} more ended async task(s) will be reported next." in reminder.text


def test_a_summary_cuts_only_long_values_and_a_pointer_only_points() -> None:
    long = ended(output={"terminate_reason": "GOAL", "emitted_vars": {}, "final_message": "m" * 1_000})
    assert render_block(ended(), detail="summary") == BLOCK
    assert "[800 more characters]" in render_block(long, detail="summary")
    pointer = json.loads(render_block(long, detail="pointer"))
    assert list(pointer) == ["agent_id", "status", "remedy"]


values = st.recursive(
    st.text(max_size=300) | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=50), inner, max_size=30),
    max_leaves=60,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(values, min_size=1, max_size=12), st.integers(600, 4_000), st.sampled_from(["full", "summary"])
)
def test_a_bounded_reminder_is_never_too_long_nor_empty(contents: list[Any], bound: int, detail: Any) -> None:
    tasks = [
        ended(id=str(place), output={"emitted_vars": {"v": value}}) for place, value in enumerate(contents)
    ]
    reminder = render_reminder(tasks, 1, max_chars=bound, detail=detail)
    assert len(reminder.text) <= bound
    assert reminder.task_ids
    assert reminder.task_ids == [task.id for task in tasks[: len(reminder.task_ids)]]


@pytest.mark.parametrize("detail", ["full", "summary", "pointer"])
def test_a_value_nested_without_end_does_not_stop_a_reminder(detail: Any) -> None:
    loop: list[Any] = ["x" * 1_000]
    loop.append(loop)
    reminder = render_reminder(
        [ended(output={"emitted_vars": {"loop": loop}})], 0, max_chars=1_000, detail=detail
    )
    assert reminder.task_ids == ["a"]
    assert len(reminder.text) <= 1_000


class Printed:
    """Counts the characters that are made into JSON text."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.characters = 0
        for module in (reminder, bounded_json):
            monkeypatch.setattr(module, "json_stringify", self._print)

    def _print(self, value: Any) -> str:
        text = json_stringify(value)
        self.characters += len(text)
        return text


OUTPUTS: dict[str, Any] = {
    "one long text": {"terminate_reason": "GOAL", "emitted_vars": {}, "final_message": "word " * 1_600},
    "many small values": {"terminate_reason": "GOAL", "emitted_vars": {f"key{n}": n for n in range(600)}},
    "nested values": {"emitted_vars": {"v": [[[str(n)] * 8 for n in range(16)] for _ in range(8)]}},
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS.keys())
@pytest.mark.parametrize("detail", ["full", "summary", "pointer"])
def test_a_bounded_reminder_prints_no_more_than_it_carries(
    monkeypatch: pytest.MonkeyPatch, output: Any, detail: Any
) -> None:
    few = [ended(id=f"{number:036}", output=output) for number in range(100)]
    many = [ended(id=f"{number:036}", output=output) for number in range(2_000)]
    printed = Printed(monkeypatch)
    first = render_reminder(few, 0, max_chars=20_000, detail=detail)
    for_few, printed.characters = printed.characters, 0
    second = render_reminder(many, 0, max_chars=20_000, detail=detail)
    assert second.task_ids == first.task_ids
    assert printed.characters == for_few < 8 * 20_000
    assert "1934 more ended" in second.text


def test_an_output_that_is_too_large_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {str(n): "x" * 100 for n in range(50_000)}
    huge = ended(output={"emitted_vars": values, "final_message": "x" * 10**7})
    printed = Printed(monkeypatch)
    text = render_reminder([huge], 0, max_chars=5_000).text
    assert '"truncated": true' in text
    assert printed.characters < 20_000


def test_room_that_short_results_leave_goes_to_the_long_ones() -> None:
    long = {"terminate_reason": "GOAL", "emitted_vars": {}, "final_message": "m" * 3_000}
    tasks = [
        ended(id="a", output=long),
        *(ended(id=f"s{number}") for number in range(9)),
        ended(id="b", output=long),
    ]
    reminder = render_reminder(tasks, 0, max_chars=8_500)
    assert reminder.text.count("m" * 3_000) == 2
    assert len(reminder.task_ids) == 11
