"""Whether questions wait for a client that can answer but left recently."""

import asyncio

import pytest

from sidecar.api.settings import HostSettings
from sidecar.app.outbound.changes import ChangeHub, Listener
from sidecar.host.attendance import RecentAttendance
from sidecar.host.last_window import LastWindow


class Client(Listener):
    def __init__(self, *, answers: bool) -> None:
        self.answers_questions = answers


class Hall:
    """The listeners of a Host, with a clock that the test sets."""

    def __init__(self) -> None:
        self.now, self.clients, self.windows, self.live_runs = 100.0, 0, 0, 0
        self.awaits_until = 0.0
        self.settings = HostSettings(survive_minutes=1)
        self.hub = ChangeHub()
        self.hub.attendance = RecentAttendance(self, LastWindow(self, lambda: None))


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_questions_wait_for_a_while_after_the_last_client_that_can_answer(hall: Hall) -> None:
    first, second = (hall.hub.listen(Client(answers=True)) for _ in range(2))
    assert hall.hub.is_attended
    first()
    hall.now += 1_000
    assert hall.hub.is_attended
    second()
    hall.now += 59.9
    assert hall.hub.is_attended
    hall.now += 0.1
    assert not hall.hub.is_attended


def test_clients_that_cannot_answer_change_nothing(hall: Hall) -> None:
    leave = hall.hub.listen(Client(answers=False))
    assert not hall.hub.is_attended
    leave()
    assert not hall.hub.is_attended


def test_questions_wait_even_if_a_client_that_cannot_answer_stays(hall: Hall) -> None:
    hall.hub.listen(Client(answers=False))
    hall.hub.listen(Client(answers=True))()
    assert hall.hub.is_attended


def test_questions_wait_without_a_limit_if_the_settings_say_so(hall: Hall) -> None:
    hall.settings = HostSettings(survive_minutes=-1)
    assert not hall.hub.is_attended
    hall.hub.listen(Client(answers=True))()
    hall.now += 1e9
    assert hall.hub.is_attended


async def test_questions_stop_waiting_if_no_client_that_can_answer_comes_back(hall: Hall) -> None:
    hall.settings = HostSettings(survive_minutes=1)
    hall.windows = 1
    leave = hall.hub.listen(Client(answers=True))
    waiting = asyncio.ensure_future(hall.hub.unattended())
    hall.windows, _ = 0, leave()
    await asyncio.sleep(0)
    assert not waiting.done()
    hall.windows = 1
    back = hall.hub.listen(Client(answers=True))
    hall.now += 61
    hall.hub.listen(Client(answers=False))
    await asyncio.sleep(0)
    assert not waiting.done()
    hall.windows, _ = 0, back()
    hall.now += 60
    hall.hub.listen(Client(answers=False))
    async with asyncio.timeout(5):
        await waiting
