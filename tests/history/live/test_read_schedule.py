from sidecar.history.live.read_schedule import READ_SECONDS, ReadSchedule


def test_what_was_not_read_recently_is_due_at_once() -> None:
    due: ReadSchedule[str] = ReadSchedule()
    due.add(["a", "b"], 10.0)
    assert due.wait(10.0) == 0
    assert sorted(due.take(10.0)) == ["a", "b"]
    assert due.take(10.0) == []
    assert due.wait(10.0) == float("inf")


def test_what_was_just_read_waits_its_time_however_often_it_is_added() -> None:
    due: ReadSchedule[str] = ReadSchedule()
    due.add(["a"], 10.0)
    due.take(10.0)
    for now in (10.1, 10.2):
        due.add(["a"], now)
        assert due.take(now) == []
    assert 0 < due.wait(10.2) <= READ_SECONDS - 0.1
    assert due.take(10.0 + READ_SECONDS) == ["a"]


def test_one_key_does_not_hold_up_another() -> None:
    due: ReadSchedule[str] = ReadSchedule()
    due.add(["a"], 10.0)
    due.take(10.0)
    due.add(["a", "b"], 10.1)
    assert due.take(10.1) == ["b"]


def test_what_was_read_long_ago_is_forgotten() -> None:
    due: ReadSchedule[int] = ReadSchedule()
    for number in range(100):
        due.add([number], number)
        due.take(number)
    assert len(due._taken) == 1
