"""What was reported to the models of a simulation, and what must and must not be."""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_IDS = re.compile(r'^  "agent_id": "([^"]+)"', re.MULTILINE)
_MORE = "more ended async task(s) will be reported next."


@dataclass
class Fact:
    """One run: where and how it was launched, and what happened to its end."""

    task_id: str
    place: str
    concerns_model: bool
    launcher: str = ""
    """The connection that launched it."""
    cancelled_by: str = ""
    """The connection whose model cancelled it."""
    ended: bool = False
    owed: bool = False
    """Whether a model must get its end."""
    triggers: bool = False
    """Whether the end may start a turn."""
    reported: int = 0
    acknowledged: bool = False
    """Whether it must not be reported again: the acknowledgement was answered, or is durable."""

    @property
    def is_known(self) -> bool:
        """Whether the model that launched it cancelled it itself."""
        return bool(self.cancelled_by) and self.cancelled_by == self.launcher


class Broken(AssertionError):
    """A promise of the reminders that does not hold."""


@dataclass
class Ledger:
    """Every run of a simulation. Raises Broken as soon as a promise is broken."""

    facts: dict[str, Fact] = field(default_factory=dict)
    ends: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    trace: deque[str] = field(default_factory=lambda: deque(maxlen=200))
    """What happened last."""
    open: dict[str, Fact] = field(default_factory=dict)
    """The runs that have not ended, and the ends that were not acknowledged."""
    unconfirmed: set[str] = field(default_factory=set)
    unsettled: set[str] = field(default_factory=set)
    """Runs that were launched or ended in this step; a kill may take that back."""

    def launched(self, task_id: str, place: str, launcher: str, *, concerns_model: bool) -> None:
        """Note a new run."""
        self.facts[task_id] = self.open[task_id] = Fact(task_id, place, concerns_model, launcher)

    def ended(self, task_id: str, *, owed: bool, triggers: bool) -> None:
        """Note an end, and whether a model must get it."""
        fact = self.facts[task_id]
        if not fact.ended:
            fact.ended, self.ends = True, self.ends + 1
        fact.owed, fact.triggers = owed, triggers
        self.trace.append(f"ended {fact}")
        if not owed:
            self.open.pop(task_id, None)
        else:
            self.open[task_id] = fact

    def forget(self, task_id: str) -> None:
        """Forget a launch that a kill took back before anybody got its ID."""
        del self.facts[task_id]
        self.open.pop(task_id, None)

    def reported(self, who: str, text: str, task_ids: Iterable[str], concerns: Callable[[str], bool]) -> None:
        """Check and note a reminder that a model got."""
        listed = list(task_ids)
        self.trace.append(f"{who} got {listed}")
        shown = _IDS.findall(text)
        if shown != listed:
            raise Broken(f"{who}: the text shows {shown}, but its ids are {listed}")
        for task_id in listed:
            fact = self.facts.get(task_id)
            if fact is None or not fact.owed:
                raise Broken(f"{who} got {task_id}, which is not for a model: {fact}")
            if not concerns(fact.place):
                raise Broken(f"{who} got {task_id} of the workspace {fact.place}")
            if fact.acknowledged:
                raise Broken(f"{who} got {task_id} again: {fact}")
            fact.reported += 1

    def acknowledged(self, task_ids: Iterable[str]) -> None:
        """Note an acknowledgement that was answered."""
        for task_id in task_ids:
            self.trace.append(f"{task_id} is acknowledged")
            self.facts[task_id].acknowledged = True
            self.open.pop(task_id, None)
            self.unconfirmed.discard(task_id)

    def acknowledging(self, task_ids: Iterable[str]) -> None:
        """Note an acknowledgement that gets no answer; it counts once it is durable."""
        self.unconfirmed.update(task_ids)

    def settled(self) -> None:
        """Note that everything so far is durable."""
        self.acknowledged(list(self.unconfirmed))
        self.unsettled.clear()

    def killed(self) -> set[str]:
        """Return the ends of which nobody knows whether they count as acknowledged."""
        unsure, self.unconfirmed = self.unconfirmed, set()
        return unsure

    def waiting(self, concerns: Callable[[str], bool], client_id: str | None = None) -> set[str]:
        """Return the ends which the models in some workspaces, or one model there, still have to get."""
        return {
            id
            for id, fact in self.open.items()
            if fact.owed and concerns(fact.place) and fact.cancelled_by != client_id
        }

    def check_reported(self) -> None:
        """Check at the end that every end was reported and acknowledged."""
        missing = [
            fact for fact in self.facts.values() if fact.owed and not (fact.reported and fact.acknowledged)
        ]
        if missing:
            raise Broken(f"{len(missing)} ends were never reported or acknowledged: {missing[:3]}")


def is_cut(text: str) -> bool:
    """Return whether a reminder leaves ends to the next one."""
    return _MORE in text
