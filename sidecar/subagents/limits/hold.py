"""Hold the launches of a runner whose model refuses requests: a pure state machine. Times are in ms."""

from dataclasses import dataclass, replace
from typing import Literal

HoldCause = Literal["rateLimit", "overloaded"]
"""Why the model refuses requests."""

FIRST_MS = 15_000
MOST_MS = 300_000
"""A hold without a time from the server lasts 15 s, and each further one in a row twice as long, up to this.

A probe that does not answer counts for this long, and a hold is forgotten this long after its end.
"""
SHORTEST_MS = 1_000
"""Servers that ask for no wait at all get this one."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A launch that may find out whether the model answers again."""

    task_id: str
    at: int


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold: no launch starts before `until`; after that one launch probes, and the others wait for it.

    `streak` counts the holds in a row.
    """

    cause: HoldCause
    until: int
    streak: int = 1
    probe: Probe | None = None

    def may_start(self, now: int) -> bool:
        """Return whether a launch may start now, as the next probe."""
        return now >= self.until and not self._is_probed(now)

    def is_over(self, now: int) -> bool:
        """Return whether the hold is forgotten, so that the next launch need not probe."""
        return now >= self.until + MOST_MS and not self._is_probed(now)

    def changes_at(self, now: int) -> int:
        """Return when the answer of `may_start` or of `is_over` changes next without an event."""
        ends = [self.until, self.until + MOST_MS]
        if self.probe is not None:
            ends.append(self.probe.at + MOST_MS)
        return min((end for end in ends if end > now), default=now)

    def probed_by(self, task_id: str, now: int) -> "Hold":
        """Return the hold after a launch has started. The first one probes, until it answers or ends."""
        return self if self._is_probed(now) else replace(self, probe=Probe(task_id, now))

    def without_probe(self, task_id: str) -> "Hold":
        """Return the hold after a run has ended. If that was the probe, another launch may probe."""
        is_probe = self.probe is not None and self.probe.task_id == task_id
        return replace(self, probe=None) if is_probe else self

    def _is_probed(self, now: int) -> bool:
        return self.probe is not None and now < self.probe.at + MOST_MS


def refused(hold: Hold | None, cause: HoldCause, retry_after: int | None, now: int) -> Hold:
    """Return the hold after the model has refused a request of a run.

    `retry_after` is how many ms the server asks to wait. During a hold it can only extend the hold: requests
    that were on their way say nothing new.
    """
    asked = None if retry_after is None else now + max(retry_after, SHORTEST_MS)
    if hold is None or hold.is_over(now):
        return Hold(cause, asked or now + FIRST_MS)
    if now < hold.until:
        return replace(hold, cause=cause, until=max(hold.until, asked or 0))
    streak = hold.streak + 1
    return Hold(cause, asked or now + _length(streak), streak, hold.probe)


def answered(hold: Hold | None, task_id: str) -> Hold | None:
    """Return the hold after the model has answered a run: the answer of the probe ends it."""
    is_probe = hold is not None and hold.probe is not None and hold.probe.task_id == task_id
    return None if is_probe else hold


def _length(streak: int) -> int:
    return min(FIRST_MS << min(streak - 1, 10), MOST_MS)
