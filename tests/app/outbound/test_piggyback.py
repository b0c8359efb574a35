"""A reminder rides on results until a message that came later acknowledges it."""

import pytest

from sidecar.api.model import NextReminder
from sidecar.app.outbound.piggyback import Piggyback


class Reminders:
    """Ends that wait, and the deliveries handed out and acknowledged."""

    def __init__(self) -> None:
        self.pending: list[str] = []
        self.handed_out = 0
        self.newest: tuple[str, list[str]] = ("", [])
        self.reported: list[str] = []
        self.released: list[str] = []

    def deliverable(self) -> list[str]:
        return list(self.pending)

    async def next(self) -> NextReminder:
        self.handed_out += 1
        self.newest = f"d{self.handed_out}", list(self.pending)
        delivery_id, ids = self.newest
        return NextReminder(text=" ".join(ids), task_ids=ids, delivery_id=delivery_id)

    async def delivered(self, delivery_id: str) -> None:
        if delivery_id == self.newest[0]:
            self.reported += self.newest[1]
            self.pending = [each for each in self.pending if each not in self.newest[1]]

    def release(self, delivery_id: str) -> None:
        self.released.append(delivery_id)


@pytest.fixture
def reminders() -> Reminders:
    return Reminders()


@pytest.fixture
def piggyback(reminders: Reminders) -> Piggyback:
    return Piggyback(reminders)


async def ride(piggyback: Piggyback, request_id: int, position: int) -> list[str]:
    reminder = await piggyback.attach(request_id)
    if reminder is None:
        return []
    piggyback.flushed(request_id, position)
    return reminder.task_ids


async def test_nothing_rides_without_an_end(piggyback: Piggyback, reminders: Reminders) -> None:
    assert await ride(piggyback, 1, 10) == []
    assert reminders.handed_out == 0


async def test_a_later_message_acknowledges(piggyback: Piggyback, reminders: Reminders) -> None:
    reminders.pending = ["a"]
    assert await ride(piggyback, 1, 10) == ["a"]
    piggyback.heard(10)
    assert await ride(piggyback, 2, 20) == []
    assert reminders.reported == ["a"]


async def test_a_message_sent_before_the_result_does_not(piggyback: Piggyback, reminders: Reminders) -> None:
    reminders.pending = ["a"]
    await ride(piggyback, 1, 10)
    piggyback.heard(9)
    await piggyback.settled()
    assert reminders.reported == []
    piggyback.heard(30)
    await piggyback.settled()
    assert reminders.reported == ["a"]


async def test_nothing_is_acknowledged_before_the_result_is_written(
    piggyback: Piggyback, reminders: Reminders
) -> None:
    reminders.pending = ["a"]
    assert await piggyback.attach(1) is not None
    piggyback.heard(1_000)
    await piggyback.settled()
    assert reminders.reported == []


async def test_a_late_cancellation_of_that_request_does_not_acknowledge(
    piggyback: Piggyback, reminders: Reminders
) -> None:
    reminders.pending = ["a"]
    await ride(piggyback, 1, 10)
    piggyback.heard(10, cancels=1)
    await piggyback.settled()
    assert reminders.reported == []
    piggyback.heard(20, cancels=2)
    await piggyback.settled()
    assert reminders.reported == ["a"]


@pytest.mark.parametrize("lost", ["cancelled before", "not sent"])
async def test_a_reminder_whose_result_is_lost_rides_again(
    piggyback: Piggyback, reminders: Reminders, lost: str
) -> None:
    reminders.pending = ["a"]
    await ride(piggyback, 1, 10)
    if lost == "not sent":
        piggyback.result_dropped(1)
    else:
        piggyback.heard(5, cancels=1)
    assert reminders.released == ["d1"]
    piggyback.heard(50)
    assert await ride(piggyback, 2, 60) == ["a"]
    assert reminders.reported == []


async def test_parallel_results_carry_a_reminder_once_unless_there_are_new_ends(
    piggyback: Piggyback, reminders: Reminders
) -> None:
    reminders.pending = ["a"]
    assert await ride(piggyback, 1, 10) == ["a"]
    assert await ride(piggyback, 2, 10) == []
    reminders.pending = ["a", "b"]
    assert await ride(piggyback, 3, 10) == ["a", "b"]
    piggyback.heard(10)
    await piggyback.settled()
    assert reminders.reported == ["a", "b"]
