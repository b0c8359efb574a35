"""Slots that runs lend to their children."""

from sidecar.subagents.runs.lending import Lending


def test_only_a_run_that_waits_lends_its_slot_and_once_at_a_time() -> None:
    lending = Lending()
    assert not lending.can_lend("parent")
    with lending.waiting("parent"):
        assert lending.can_lend("parent")
        lending.lend("parent", "child")
        assert not lending.can_lend("parent")
        lending.give_back("child")
        assert lending.can_lend("parent")
    assert not lending.can_lend("parent")


def test_a_run_that_waits_twice_lends_until_both_waits_end() -> None:
    lending = Lending()
    with lending.waiting("parent"):
        with lending.waiting("parent"):
            pass
        assert lending.can_lend("parent")


def test_a_slot_stays_lent_after_the_wait() -> None:
    lending = Lending()
    with lending.waiting("parent"):
        lending.lend("parent", "child")
    assert lending.has_lent("parent")
    lending.give_back("other")
    assert lending.has_lent("parent")
