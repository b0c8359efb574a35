"""The state machine of async tasks, by its table and the decisions taken for it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.tasks.manager import TRANSITIONS
from sidecar.subagents.tasks.model import AsyncTaskInfo, LaunchPermission, PrefixMatch

Start = Callable[..., AsyncTaskInfo]
GOAL = {"terminate_reason": "GOAL", "emitted_vars": {}}


def test_a_registered_task_runs_and_is_stamped_by_the_managers_clock(
    manager: AsyncTaskManager, start: Start, clock: Any
) -> None:
    task = start("a")
    assert (task.status, task.launched_at, task.completed_at) == ("running", clock.ms, None)
    assert manager.get_task("a") is task
    assert manager.get_running_tasks() == [task]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (lambda manager: manager.complete_task("a", GOAL), "completed"),
        (lambda manager: manager.fail_task("a", "broke", GOAL), "failed"),
        (lambda manager: manager.cancel_task("a"), "cancelled"),
    ],
)
def test_each_end_is_stamped_once_and_the_first_wins(
    manager: AsyncTaskManager, start: Start, clock: Any, end: Callable[[AsyncTaskManager], bool], status: str
) -> None:
    task = start("a")
    clock.ms += 5
    assert end(manager)
    clock.ms += 5
    assert [manager.complete_task("a", {}), manager.fail_task("a", "late"), manager.cancel_task("a")] == [
        False
    ] * 3
    assert (task.status, task.completed_at) == (status, clock.ms - 5)


def test_ends_of_unknown_tasks_are_false_and_raise_nothing(manager: AsyncTaskManager) -> None:
    assert not manager.complete_task("x", GOAL)
    assert not manager.fail_task("x", "e")
    assert not manager.cancel_task("x")
    manager.mark_notified("x")


def test_a_failed_task_keeps_its_partial_output(manager: AsyncTaskManager, start: Start) -> None:
    task = start("a")
    manager.fail_task("a", "too slow", GOAL)
    assert (task.error, task.output) == ("too slow", GOAL)


def test_complete_ignores_the_terminate_reason(manager: AsyncTaskManager, start: Start) -> None:
    task = start("a")
    manager.complete_task("a", {"terminate_reason": "ERROR", "emitted_vars": {}})
    assert task.status == "completed"


def test_no_state_leads_out_of_an_end() -> None:
    assert [status for status, following in TRANSITIONS.items() if following] == ["running"]


def test_two_overlapping_launches_cannot_pass_a_limit_of_one(clock: Any) -> None:
    manager = AsyncTaskManager(1, now=clock)
    slot = manager.reserve_slot()
    clock.ms += 3_600_000
    assert manager.reserve_slot() is None
    assert manager.can_launch_async() == LaunchPermission(False, "Max async tasks (1) reached")
    assert slot is not None
    manager.register_task(id="a", subagent_name="n", goal_prompt="g", abort=lambda: None, slot=slot)
    assert manager.reserve_slot() is None


def test_a_task_that_keeps_its_slot_counts_once_until_the_slot_is_freed(clock: Any) -> None:
    manager = AsyncTaskManager(1, now=clock)
    manager.register_task(id="a", subagent_name="n", goal_prompt="g", abort=lambda: None)
    manager.keep_slot("a")
    assert (manager.slots_taken, manager.ended_with_slot) == (1, frozenset())
    manager.complete_task("a", {})
    assert manager.reserve_slot() is None and manager.ended_with_slot == {"a"}
    manager.free_slot("a")
    assert (manager.slots_taken, manager.ended_with_slot) == (0, frozenset())


def test_a_slot_returns_when_its_block_ends_without_a_registration(clock: Any) -> None:
    manager = AsyncTaskManager(1, now=clock)
    slot = manager.reserve_slot()
    assert slot is not None
    with slot:
        assert not manager.can_launch_async().allowed
    assert manager.can_launch_async() == LaunchPermission(True, None)


def test_releasing_a_slot_twice_frees_one_place(clock: Any) -> None:
    manager = AsyncTaskManager(2, now=clock)
    first, second = manager.reserve_slot(), manager.reserve_slot()
    assert first is not None
    assert second is not None
    first.release()
    first.release()
    assert manager.reserve_slot() is not None
    assert manager.reserve_slot() is None


@pytest.mark.parametrize("spoil", ["release", "consume", "foreign"])
def test_a_spent_or_foreign_slot_is_refused(manager: AsyncTaskManager, clock: Any, spoil: str) -> None:
    slot = (AsyncTaskManager(now=clock) if spoil == "foreign" else manager).reserve_slot()
    assert slot is not None
    task: dict[str, Any] = {"subagent_name": "n", "goal_prompt": "g", "abort": lambda: None}
    if spoil == "release":
        slot.release()
    if spoil == "consume":
        manager.register_task(id="a", slot=slot, **task)
    with pytest.raises(ValueError, match="slot was used before"):
        manager.register_task(id="b", slot=slot, **task)
    assert manager.get_task("b") is None


def test_registering_without_a_slot_ignores_the_limit(clock: Any) -> None:
    manager = AsyncTaskManager(0, now=clock)
    manager.register_task(id="a", subagent_name="n", goal_prompt="g", abort=lambda: None)
    assert len(manager.get_running_tasks()) == 1


def test_a_running_id_is_refused_and_the_slot_stays_held(manager: AsyncTaskManager, start: Start) -> None:
    start("a")
    slot = manager.reserve_slot()
    assert slot is not None
    with pytest.raises(ValueError, match="'a' is already running"):
        manager.register_task(id="a", subagent_name="n", goal_prompt="g", abort=lambda: None, slot=slot)
    assert slot.held


def test_an_ended_id_is_replaced_in_its_place(manager: AsyncTaskManager, start: Start) -> None:
    start("a")
    start("b")
    manager.complete_task("a", GOAL)
    again = start("a")
    assert manager.get_all_tasks()[0] is again


@pytest.mark.parametrize("bad", [-2, -100, 1.5, "3", None, True])
def test_an_invalid_limit_is_refused_by_name(manager: AsyncTaskManager, bad: Any) -> None:
    with pytest.raises(ValueError, match="max_async_tasks must be -1"):
        manager.set_max_async_tasks(bad)
    with pytest.raises(ValueError, match="max_async_tasks must be -1"):
        AsyncTaskManager(bad)
    assert manager.max_async_tasks == 5


def test_a_lower_limit_counts_for_later_launches_and_stops_nothing(
    manager: AsyncTaskManager, start: Start
) -> None:
    start("a")
    start("b")
    manager.set_max_async_tasks(1)
    assert len(manager.get_running_tasks()) == 2
    assert manager.reserve_slot() is None
    manager.set_max_async_tasks(-1)
    assert all(manager.reserve_slot() for _ in range(50))


def test_cancel_aborts_after_the_state_and_before_the_event(manager: AsyncTaskManager, start: Start) -> None:
    seen: list[str] = []
    start("a", abort=lambda: seen.append(f"abort {manager.get_all_tasks()[0].status}"))
    manager.on_task_cancelled(lambda task: seen.append(f"event {task.status}"))
    manager.cancel_task("a")
    assert seen == ["abort cancelled", "event cancelled"]


def test_a_raising_abort_is_logged_and_the_task_still_cancelled(
    manager: AsyncTaskManager, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    def abort() -> None:
        raise RuntimeError("no way to stop")

    start("a", abort=abort)
    with caplog.at_level(logging.ERROR):
        assert manager.cancel_task("a")
    assert "no way to stop" in caplog.text


def test_a_raising_subscriber_stops_neither_others_nor_trimming(clock: Any, start: Start) -> None:
    manager = AsyncTaskManager(0, now=clock)
    heard: list[str] = []

    def fail(task: AsyncTaskInfo) -> None:
        raise RuntimeError("subscriber")

    manager.on_task_completed(fail)
    manager.on_task_completed(lambda task: heard.append(task.id))
    manager.on_task_completed(lambda task: manager.mark_notified(task.id))
    manager.register_task(id="a", subagent_name="n", goal_prompt="g", abort=lambda: None)
    assert manager.complete_task("a", GOAL)
    assert heard == ["a"]
    assert manager.get_all_tasks() == []


def test_events_come_after_the_change_and_only_for_their_end(manager: AsyncTaskManager, start: Start) -> None:
    heard: list[tuple[str, str]] = []
    for name in ("completed", "failed", "cancelled"):
        subscribe = getattr(manager, f"on_task_{name}")
        subscribe(lambda task, name=name: heard.append((name, task.status)))
    for id in "abc":
        start(id)
    manager.fail_task("b", "e")
    manager.cancel_task("c")
    manager.complete_task("a", GOAL)
    assert heard == [(status, status) for status in ("failed", "cancelled", "completed")]


def test_unsubscribing_ends_only_that_subscription(manager: AsyncTaskManager, start: Start) -> None:
    heard: list[AsyncTaskInfo] = []
    unsubscribe = manager.on_task_completed(heard.append)
    manager.on_task_completed(heard.append)
    unsubscribe()
    unsubscribe()
    start("a")
    manager.complete_task("a", GOAL)
    assert len(heard) == 1


def test_a_prefix_finds_one_several_or_none(manager: AsyncTaskManager, start: Start) -> None:
    one, two = start("ab1"), start("ab2")
    assert manager.get_task_by_prefix("ab1") == PrefixMatch(one, [])
    assert manager.get_task_by_prefix("ab") == PrefixMatch(None, [one, two])
    assert manager.get_task_by_prefix("AB") == PrefixMatch(None, [])


def test_marking_a_running_task_does_not_hide_its_end(manager: AsyncTaskManager, start: Start) -> None:
    start("a")
    manager.mark_notified("a")
    manager.complete_task("a", GOAL)
    assert [task.id for task in manager.get_pending_notifications()] == ["a"]


def test_pending_are_the_completed_and_failed_that_nobody_was_notified_of(
    manager: AsyncTaskManager, start: Start
) -> None:
    for id in "abcd":
        start(id)
    manager.complete_task("a", GOAL)
    manager.fail_task("b", "e")
    manager.cancel_task("c")
    manager.mark_notified("a")
    assert [task.id for task in manager.get_pending_notifications()] == ["b"]


def test_the_first_mark_wins(manager: AsyncTaskManager, start: Start, clock: Any) -> None:
    task = start("a")
    manager.complete_task("a", GOAL)
    manager.mark_notified("a")
    clock.ms += 5
    manager.mark_notified("a")
    assert task.notified_at == clock.ms - 5


def end_in_order(manager: AsyncTaskManager, clock: Any, count: int, end: Callable[[str], Any]) -> None:
    for number in range(count):
        manager.register_task(id=str(number), subagent_name="n", goal_prompt="g", abort=lambda: None)
        clock.ms += 1
        end(str(number))


def complete_and_tell(manager: AsyncTaskManager, id: str) -> None:
    manager.complete_task(id, GOAL)
    manager.mark_notified(id)


def test_history_keeps_the_double_of_the_limit_and_ten_without(manager: AsyncTaskManager, clock: Any) -> None:
    manager.set_max_async_tasks(3)
    end_in_order(manager, clock, 20, lambda id: complete_and_tell(manager, id))
    assert [task.id for task in manager.get_all_tasks()] == [str(number) for number in range(14, 20)]
    manager.set_max_async_tasks(-1)
    end_in_order(manager, clock, 20, lambda id: complete_and_tell(manager, id))
    assert len(manager.get_all_tasks()) == 10


def test_marking_trims_too(manager: AsyncTaskManager, clock: Any) -> None:
    manager.set_max_async_tasks(1)
    end_in_order(manager, clock, 5, lambda id: manager.complete_task(id, GOAL))
    assert len(manager.get_all_tasks()) == 5
    for number in range(5):
        manager.mark_notified(str(number))
    assert [task.id for task in manager.get_all_tasks()] == ["3", "4"]


def test_an_unreported_result_is_never_trimmed_and_holds_what_is_newer(
    manager: AsyncTaskManager, clock: Any
) -> None:
    manager.set_max_async_tasks(1)
    end_in_order(manager, clock, 6, lambda id: manager.complete_task(id, GOAL))
    for id in "12345":
        manager.mark_notified(id)
    assert len(manager.get_all_tasks()) == 6


def test_a_manager_of_a_host_trims_what_is_newer_than_an_unreported_result(clock: Any) -> None:
    manager = AsyncTaskManager(1, clock, trim_past_pending=True)
    end_in_order(manager, clock, 6, lambda id: manager.complete_task(id, GOAL))
    assert len(manager.get_all_tasks()) == 6
    for id in "1234":
        manager.mark_notified(id)
    assert [task.id for task in manager.get_all_tasks()] == ["0", "3", "4", "5"]
    manager.mark_notified("0")
    assert [task.id for task in manager.get_all_tasks()] == ["3", "4", "5"]


def test_cancelled_tasks_are_trimmed_unreported_and_hold_nothing_up(
    manager: AsyncTaskManager, clock: Any
) -> None:
    manager.set_max_async_tasks(1)
    end_in_order(manager, clock, 6, manager.cancel_task)
    assert [task.id for task in manager.get_all_tasks()] == ["4", "5"]


def test_the_oldest_end_is_trimmed_first_whatever_was_launched_first(
    manager: AsyncTaskManager, start: Start, clock: Any
) -> None:
    manager.set_max_async_tasks(1)
    for id in "abcd":
        start(id)
    for id in "cadb":
        clock.ms += 1
        complete_and_tell(manager, id)
    assert [task.id for task in manager.get_all_tasks()] == ["b", "d"]


def test_of_ends_at_the_same_time_the_one_launched_first_is_trimmed(
    manager: AsyncTaskManager, start: Start
) -> None:
    manager.set_max_async_tasks(1)
    for id in "abc":
        start(id)
    for id in "cba":
        complete_and_tell(manager, id)
    assert [task.id for task in manager.get_all_tasks()] == ["b", "c"]


def test_a_task_that_runs_again_is_not_in_the_history(
    manager: AsyncTaskManager, start: Start, clock: Any
) -> None:
    manager.set_max_async_tasks(1)
    end_in_order(manager, clock, 2, lambda id: complete_and_tell(manager, id))
    start("0")
    start("x")
    complete_and_tell(manager, "x")
    assert [task.id for task in manager.get_all_tasks()] == ["0", "1", "x"]


@pytest.mark.parametrize("end", ["complete", "fail", "cancel"])
def test_an_end_is_announced_before_the_history_is_trimmed(
    manager: AsyncTaskManager, start: Start, clock: Any, end: str
) -> None:
    manager.set_max_async_tasks(1)
    seen: list[list[str]] = []
    for name in ("completed", "failed", "cancelled"):
        getattr(manager, f"on_task_{name}")(lambda task: seen.append([t.id for t in manager.get_all_tasks()]))
    end_in_order(manager, clock, 2, manager.cancel_task)
    seen.clear()
    start("last")
    clock.ms += 1
    {
        "complete": lambda: manager.complete_task("last", GOAL),
        "fail": lambda: manager.fail_task("last", "e"),
        "cancel": lambda: manager.cancel_task("last"),
    }[end]()
    assert seen == [["0", "1", "last"]]
    assert [task.id for task in manager.get_all_tasks()] == ["1", "last"]


def test_five_may_run_at_once_unless_set() -> None:
    assert AsyncTaskManager().max_async_tasks == 5


def test_running_tasks_are_not_in_the_history(manager: AsyncTaskManager, start: Start) -> None:
    for number in range(30):
        start(str(number))
    manager.set_max_async_tasks(0)
    assert len(manager.get_all_tasks()) == 30


def test_restoring_is_silent_and_only_for_ends_that_are_new(manager: AsyncTaskManager, start: Start) -> None:
    heard: list[AsyncTaskInfo] = []
    manager.on_task_failed(heard.append)
    ended = AsyncTaskInfo("old", "n", "g", "failed", 1, 2, error="lost")
    manager.restore(ended)
    assert manager.get_pending_notifications() == [ended]
    assert heard == []
    with pytest.raises(ValueError, match="already known"):
        manager.restore(ended)
    with pytest.raises(ValueError, match="still running"):
        manager.restore(AsyncTaskInfo("new", "n", "g", "running", 1))
