"""What the Host still owes the model, and how it is acknowledged."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.reminders.deliveries import (
    REMEMBERED_DELIVERIES,
    REMEMBERED_ITEMS,
    Delivery,
    NextReminder,
    ReminderOptions,
)
from sidecar.subagents.reminders.outbox import Outbox
from sidecar.subagents.tasks.model import AsyncTaskInfo

GOAL = {"terminate_reason": "GOAL", "emitted_vars": {}}
End = Callable[[str], AsyncTaskInfo]


class Elapsed:
    """Seconds that pass when a test says so, whatever the wall clock does."""

    seconds = 500.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def elapsed() -> Elapsed:
    return Elapsed()


@pytest.fixture
def outbox(manager: AsyncTaskManager, elapsed: Elapsed) -> Outbox:
    numbers = count(1)
    return Outbox(manager, new_id=lambda: f"d{next(numbers)}", elapsed=elapsed)


@pytest.fixture
def end(manager: AsyncTaskManager, start: Callable[[str], AsyncTaskInfo]) -> End:
    def end(id: str) -> AsyncTaskInfo:
        task = start(id)
        manager.complete_task(id, GOAL)
        return task

    return end


def begin(outbox: Outbox) -> NextReminder:
    trigger = outbox.begin_trigger()
    assert trigger is not None
    assert trigger.delivery_id is not None
    return trigger


def test_nothing_to_tell_has_no_delivery(outbox: Outbox, start: Any) -> None:
    assert outbox.next() == NextReminder("", [], None)
    start("a")
    assert "still running" in outbox.next().text
    assert outbox.next().delivery_id is None


def test_the_same_text_comes_again_with_a_new_id_until_acknowledged(outbox: Outbox, end: End) -> None:
    end("a")
    first, second = outbox.next(), outbox.next()
    assert (first.text, first.task_ids) == (second.text, ["a"])
    assert (first.delivery_id, second.delivery_id) == ("d1", "d2")
    assert outbox.delivered("d2") == ["a"]
    assert outbox.next().text == ""


def test_superseded_unknown_and_repeated_ids_mark_nothing(
    outbox: Outbox, end: End, manager: AsyncTaskManager
) -> None:
    end("a")
    outbox.next()
    outbox.next()
    assert outbox.delivered("d1") == outbox.delivered("other") == []
    assert len(manager.get_pending_notifications()) == 1
    assert outbox.delivered("d2") == ["a"]
    assert outbox.delivered("d2") == []


def test_only_the_ids_that_the_delivery_carried_are_marked(
    outbox: Outbox, end: End, manager: AsyncTaskManager
) -> None:
    end("a")
    outbox.next()
    end("b")
    outbox.delivered("d1")
    assert [task.id for task in manager.get_pending_notifications()] == ["b"]


def test_ids_in_an_open_trigger_are_withheld_until_it_is_answered(outbox: Outbox, end: End) -> None:
    end("a")
    trigger = begin(outbox)
    end("b")
    assert outbox.next().task_ids == ["b"]
    assert outbox.trigger_answered(trigger.delivery_id or "", accepted=False) == []
    assert outbox.next().task_ids == ["a", "b"]


def test_an_accepted_trigger_is_the_delivery(outbox: Outbox, end: End, manager: AsyncTaskManager) -> None:
    end("a")
    trigger = begin(outbox)
    assert outbox.trigger_answered(trigger.delivery_id or "", accepted=True) == ["a"]
    assert outbox.trigger_answered(trigger.delivery_id or "", accepted=True) == []
    assert manager.get_pending_notifications() == []


def test_sixty_seconds_free_what_an_open_trigger_withholds(
    outbox: Outbox, end: End, elapsed: Elapsed
) -> None:
    end("a")
    begin(outbox)
    elapsed.seconds += 59.9
    assert outbox.next().task_ids == []
    elapsed.seconds += 0.1
    assert outbox.next().task_ids == ["a"]
    assert outbox.begin_trigger() is None


@pytest.mark.parametrize("hours", [-5, 5])
def test_a_jump_of_the_clock_neither_frees_nor_withholds_an_open_trigger(
    outbox: Outbox, end: End, clock: Any, elapsed: Elapsed, hours: int
) -> None:
    end("a")
    begin(outbox)
    clock.ms += hours * 3_600_000
    assert outbox.next().task_ids == []
    elapsed.seconds += 60
    assert outbox.next().task_ids == ["a"]


def test_a_late_answer_marks_nothing_twice(manager: AsyncTaskManager, end: End, elapsed: Elapsed) -> None:
    marked: list[str] = []
    outbox = Outbox(manager, on_marked=lambda ids, at: marked.extend(ids), elapsed=elapsed)
    end("a")
    trigger = begin(outbox)
    elapsed.seconds += 60
    outbox.delivered(outbox.next().delivery_id or "")
    assert outbox.trigger_answered(trigger.delivery_id or "", accepted=True) == []
    assert marked == ["a"]


def test_a_cancel_that_the_model_did_not_ask_for_rides_in_next_and_never_triggers(
    outbox: Outbox, start: Any, manager: AsyncTaskManager
) -> None:
    task = start("a")
    manager.cancel_task("a")
    outbox.note_cancelled(task)
    assert not outbox.has_triggerable()
    assert outbox.begin_trigger() is None
    reminder = outbox.next()
    assert "1 async task(s) completed:" in reminder.text
    assert '"status": "cancelled"' in reminder.text
    assert outbox.delivered(reminder.delivery_id or "") == ["a"]
    assert (outbox.next().text, task.notified_at is not None) == ("", True)


def test_a_cancel_is_still_reported_when_the_manager_has_trimmed_it(
    outbox: Outbox, start: Any, manager: AsyncTaskManager
) -> None:
    task = start("a")
    manager.cancel_task("a")
    outbox.note_cancelled(task)
    manager.set_max_async_tasks(0)
    assert manager.get_task("a") is None
    assert outbox.next().task_ids == ["a"]


def test_notices_of_cancels_can_be_turned_off(manager: AsyncTaskManager, start: Any) -> None:
    outbox = Outbox(manager, ReminderOptions(notify_cancelled=False))
    task = start("a")
    manager.cancel_task("a")
    outbox.note_cancelled(task)
    assert outbox.next().text == ""


def test_restored_ends_ride_in_next_and_never_trigger(outbox: Outbox, end: End) -> None:
    outbox.restore(AsyncTaskInfo("old", "n", "g", "failed", 1, 2, error="lost"))
    outbox.restore(AsyncTaskInfo("off", "n", "g", "cancelled", 1, 2))
    assert not outbox.has_triggerable()
    end("new")
    assert begin(outbox).task_ids == ["new"]
    assert outbox.next().task_ids == ["old", "off"]


def test_every_delivery_and_each_mark_is_passed_on(manager: AsyncTaskManager, end: End, clock: Any) -> None:
    seen: list[Delivery] = []
    marks: list[Any] = []
    outbox = Outbox(manager, on_delivery=seen.append, on_marked=lambda ids, at: marks.append((list(ids), at)))
    end("a")
    outbox.next()
    outbox.delivered(outbox.next().delivery_id or "")
    outbox.trigger_answered("unknown", accepted=True)
    assert [delivery.state for delivery in seen] == ["open", "superseded", "open", "delivered"]
    assert marks == [(["a"], clock.ms)]


def test_items_tell_the_state_and_the_deliveries_of_each_task(outbox: Outbox, end: End) -> None:
    for id in "ab":
        end(id)
    outbox.delivered(outbox.next().delivery_id or "")
    end("c")
    begin(outbox)
    end("d")
    states = {item.task_id: (item.state, [one.state for one in item.deliveries]) for item in outbox.items()}
    assert states == {
        "a": ("delivered", ["delivered"]),
        "b": ("delivered", ["delivered"]),
        "c": ("triggering", ["open"]),
        "d": ("pending", []),
    }


def test_what_is_dismissed_is_never_pending_and_may_be_trimmed(
    outbox: Outbox, manager: AsyncTaskManager, start: Any
) -> None:
    manager.set_max_async_tasks(1)
    for number in range(REMEMBERED_ITEMS + 5):
        start(str(number))
        manager.complete_task(str(number), GOAL)
        outbox.dismiss(str(number))
    assert not outbox.has_triggerable()
    assert outbox.next().text == ""
    assert len(manager.get_all_tasks()) == 2
    items = outbox.items()
    assert len(items) == REMEMBERED_ITEMS
    assert {(item.state, len(item.deliveries)) for item in items} == {("none", 0)}


def test_a_cancellation_that_the_settings_mute_is_not_restored(manager: AsyncTaskManager) -> None:
    outbox = Outbox(manager, ReminderOptions(notify_cancelled=False))
    assert not outbox.restore(AsyncTaskInfo("off", "n", "g", "cancelled", 1, 2))
    assert outbox.items() == []


def test_items_are_bounded(outbox: Outbox, end: End) -> None:
    for number in range(REMEMBERED_ITEMS + 50):
        end(str(number))
        outbox.delivered(outbox.next().delivery_id or "")
    end("last")
    for _ in range(REMEMBERED_DELIVERIES + 5):
        outbox.next()
    items = outbox.items()
    assert len(items) == REMEMBERED_ITEMS + 1
    assert len(items[0].deliveries) == REMEMBERED_DELIVERIES


def test_a_bounded_reminder_leaves_the_rest_for_the_next(manager: AsyncTaskManager, end: End) -> None:
    outbox = Outbox(manager, ReminderOptions(max_chars=600))
    for number in range(10):
        end(f"{number}")
    reported: list[str] = []
    while (reminder := outbox.next()).task_ids:
        assert len(reminder.text) <= 600
        assert len(reminder.task_ids) < 10
        reported += outbox.delivered(reminder.delivery_id or "")
    assert reported == [str(number) for number in range(10)]


@pytest.mark.parametrize(("setting", "asked"), [(None, 600), (20_000, 600), (600, 20_000)])
def test_a_reminder_is_as_short_as_its_recipient_and_the_settings_want(
    manager: AsyncTaskManager, end: End, setting: int | None, asked: int
) -> None:
    outbox = Outbox(manager, ReminderOptions(max_chars=setting))
    for number in range(10):
        end(f"{number}")
    reminder = outbox.next(max_chars=asked)
    assert len(reminder.text) <= 600
    left = 10 - len(reminder.task_ids)
    assert f"{left} more ended async task(s) will be reported next." in reminder.text
    assert outbox.delivered(reminder.delivery_id or "") == reminder.task_ids
    assert len(outbox.next(max_chars=20_000).task_ids) == (left if asked == 600 else len(reminder.task_ids))


def test_earlier_deliveries_are_shown_again_and_no_open_one_is_acknowledged(
    end: End,
) -> None:
    restored = Outbox(AsyncTaskManager())
    restored.restore(end("pending"))
    restored.restore_deliveries(
        [
            Delivery("one", ["reported", "pending"], 1, "superseded"),
            Delivery("two", ["reported"], 2, "delivered"),
            Delivery("three", ["pending", "gone"], 3, "open"),
        ]
    )
    assert [(item.task_id, item.state) for item in restored.items()] == [
        ("pending", "pending"),
        ("reported", "delivered"),
    ]
    assert [each.state for each in restored.items()[0].deliveries] == ["superseded", "failed"]
    assert restored.delivered("three") == []
