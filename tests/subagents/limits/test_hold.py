"""When launches of a runner wait for its model, and what holds whatever happens in whatever order."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sidecar.subagents.limits.hold import (
    FIRST_MS,
    MOST_MS,
    SHORTEST_MS,
    Hold,
    HoldCause,
    answered,
    refused,
)


def test_a_refusal_holds_for_the_time_of_the_server() -> None:
    hold = refused(None, "rateLimit", 42_000, now=1_000)
    assert not hold.may_start(42_999)
    assert hold.may_start(43_000)


def test_a_refusal_without_a_time_holds_for_15_s() -> None:
    hold = refused(None, "overloaded", None, now=0)
    assert (hold.may_start(14_999), hold.may_start(15_000)) == (False, True)


def test_a_server_that_asks_for_no_wait_gets_a_short_one() -> None:
    assert refused(None, "rateLimit", 0, now=0).until == SHORTEST_MS


def test_each_failing_probe_doubles_the_hold_up_to_5_min() -> None:
    hold, now, lengths = refused(None, "rateLimit", None, now=0), 0, []
    for number in range(7):
        now = hold.until
        hold = refused(hold.probed_by(f"t{number}", now), "rateLimit", None, now)
        lengths.append(hold.until - now)
        hold = hold.without_probe(f"t{number}")
    assert lengths == [30_000, 60_000, 120_000, 240_000, MOST_MS, MOST_MS, MOST_MS]


def test_refusals_during_a_hold_extend_it_only_by_the_time_of_the_server() -> None:
    hold = refused(None, "rateLimit", None, now=0)
    assert refused(hold, "rateLimit", None, now=10_000).until == FIRST_MS
    assert refused(hold, "rateLimit", 2_000, now=1_000).until == FIRST_MS
    assert refused(hold, "overloaded", 60_000, now=1_000).until == 61_000


def test_the_time_of_the_server_may_be_longer_than_5_min() -> None:
    assert refused(None, "rateLimit", 3_600_000, now=0).until == 3_600_000


def test_one_launch_probes_and_its_answer_ends_the_hold() -> None:
    hold = refused(None, "rateLimit", None, now=0).probed_by("probe", FIRST_MS)
    assert not hold.may_start(FIRST_MS)
    assert answered(hold, "another") == hold
    assert answered(hold, "probe") is None


def test_a_probe_that_ends_without_an_answer_lets_the_next_one_probe() -> None:
    hold = refused(None, "rateLimit", None, now=0).probed_by("probe", FIRST_MS)
    assert hold.without_probe("another") == hold
    assert hold.without_probe("probe").may_start(FIRST_MS)


def test_a_probe_that_repeats_its_request_still_ends_the_hold() -> None:
    hold = refused(None, "rateLimit", None, now=0).probed_by("probe", FIRST_MS)
    again = refused(hold, "rateLimit", None, now=FIRST_MS + 1)
    assert not again.may_start(FIRST_MS + 1)
    assert answered(again, "probe") is None


def test_a_silent_probe_does_not_hold_the_others_for_ever() -> None:
    hold = refused(None, "rateLimit", None, now=0).probed_by("probe", FIRST_MS)
    assert not hold.may_start(FIRST_MS + MOST_MS - 1)
    assert hold.may_start(FIRST_MS + MOST_MS)


def test_an_old_hold_is_forgotten() -> None:
    hold = refused(None, "rateLimit", None, now=0)
    assert not hold.is_over(FIRST_MS + MOST_MS - 1)
    assert hold.is_over(FIRST_MS + MOST_MS)
    late = FIRST_MS + MOST_MS
    assert refused(hold, "rateLimit", None, late) == Hold("rateLimit", late + FIRST_MS)


CAUSES: st.SearchStrategy[HoldCause] = st.sampled_from(["rateLimit", "overloaded"])


class Holding(RuleBasedStateMachine):
    """A runner whose launches start as soon as they may, and whose model refuses or answers at random."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.hold: Hold | None = None
        self.running: list[str] = []
        self.asked = 0
        """The longest time that the server has asked for."""
        self.probe: str | None = None
        self.probed_at = 0
        self.count = 0

    @rule(ms=st.integers(0, 400_000))
    def wait(self, ms: int) -> None:
        self.now += ms

    @precondition(lambda self: self.hold is not None)
    @rule()
    def wait_for_change(self) -> None:
        assert self.hold is not None
        before = (self.hold.may_start(self.now), self.hold.is_over(self.now))
        at = self.hold.changes_at(self.now)
        if at > self.now + 1:
            assert (self.hold.may_start(at - 1), self.hold.is_over(at - 1)) == before
        self.now = max(self.now, at)

    @rule()
    def launch(self) -> None:
        if self.hold is not None and self.hold.is_over(self.now):
            self.hold = None
        if self.hold is None:
            self.running.append(self._new())
        elif self.hold.may_start(self.now):
            is_stale = self.now >= self.probed_at + MOST_MS
            assert self.probe is None or is_stale, "two launches probe"
            assert self.now >= self.hold.until, "a launch starts during the hold"
            self._probe()

    @rule()
    def start_now(self) -> None:
        if self.hold is not None and (self.probe is None or self.now >= self.probed_at + MOST_MS):
            self._probe()
        else:
            self.running.append(self._new())

    @precondition(lambda self: self.running)
    @rule(data=st.data(), cause=CAUSES, wait=st.none() | st.integers(0, 600_000))
    def refuse(self, data: st.DataObject, cause: HoldCause, wait: int | None) -> None:
        data.draw(st.sampled_from(self.running))
        before = self.hold
        self.asked = max(self.asked, self.now + (wait or 0))
        self.hold = refused(before, cause, wait, self.now)
        if before is None or before.is_over(self.now):
            self.probe = None
        assert self.hold.until > self.now
        if before is not None and self.now < before.until:
            assert self.hold.until >= before.until, "a refusal shortens the hold"

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        task_id = data.draw(st.sampled_from(self.running))
        before, self.hold = self.hold, answered(self.hold, task_id)
        if task_id == self.probe:
            assert self.hold is None
            self.probe = None
        else:
            assert self.hold == before

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        task_id = data.draw(st.sampled_from(self.running))
        self.running.remove(task_id)
        self.hold = None if self.hold is None else self.hold.without_probe(task_id)
        self.probe = None if task_id == self.probe else self.probe

    @invariant()
    def no_hold_is_longer_than_it_may_be(self) -> None:
        if self.hold is not None:
            assert self.hold.until <= max(self.asked + SHORTEST_MS, self.now + MOST_MS)

    @invariant()
    def a_launch_may_start_in_the_end(self) -> None:
        if self.hold is not None:
            at = max(self.hold.until, self.now) + MOST_MS
            assert self.hold.may_start(at)

    def _new(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def _probe(self) -> None:
        assert self.hold is not None
        self.probe, self.probed_at = self._new(), self.now
        self.hold = self.hold.probed_by(self.probe, self.now)
        self.running.append(self.probe)


TestHolding = Holding.TestCase
TestHolding.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)


@pytest.mark.parametrize("streak", [1, 5, 1_000])
def test_any_number_of_holds_in_a_row_has_a_length(streak: int) -> None:
    assert refused(Hold("rateLimit", 0, streak), "rateLimit", None, now=1).until <= 1 + MOST_MS
