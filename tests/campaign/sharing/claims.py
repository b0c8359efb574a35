"""What several clients of one root receive, and that no result reaches two of them."""

from dataclasses import dataclass, field

from tests.campaign.notes import Notes


@dataclass
class Claims:
    """Which connected client holds which results that it has not acknowledged."""

    held: dict[int, set[str]] = field(default_factory=dict)
    """By the number of the client."""

    def others(self, number: int) -> set[str]:
        """Return what the others hold."""
        return {task_id for each, ids in self.held.items() if each != number for task_id in ids}


@dataclass
class ClientNotes(Notes):
    """What one connection receives; launches and acknowledgments are those of the whole root."""

    number: int = 0
    claims: Claims = field(default_factory=Claims)
    _held_before: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, ledger: Notes, claims: Claims, number: int) -> "ClientNotes":
        """Return empty notes of a client of the root that `ledger` describes."""
        return cls(
            launched=ledger.launched,
            acknowledged=ledger.acknowledged,
            cancels=ledger.cancels,
            number=number,
            claims=claims,
        )

    def before_asking(self) -> None:
        """Note what the others hold while this client asks for a reminder."""
        self.claims.held.pop(self.number, None)
        self._held_before = self.claims.others(self.number)

    def take_reminder(self, task_ids: list[str], source: str) -> None:
        """Note a reminder, which has to name nothing that another client holds."""
        super().take_reminder(task_ids, source)
        held = self.claims.others(self.number)
        if source == "next":
            held &= self._held_before
            self.claims.held[self.number] = set(task_ids)
        for task_id in held & set(task_ids):
            self.breaks("reminders", f"{source}: another client holds it", task_id)

    def gone(self) -> None:
        """Give up what this client holds."""
        self.claims.held.pop(self.number, None)


def absorb(ledger: Notes, notes: Notes) -> None:
    """Add what a client received to the notes of the root."""
    for task_id, end in notes.ends.items():
        before = ledger.ends.setdefault(task_id, end)
        if not before.agrees(end):
            ledger.breaks("ends", f"one client received {before}, another {end}", task_id)
        elif before.output is None:
            ledger.ends[task_id] = end
    for task_id, events in notes.events.items():
        known = ledger.events.setdefault(task_id, [])
        shorter = min(len(known), len(events))
        if known[:shorter] != events[:shorter]:
            ledger.breaks("events", "two clients received different events", task_id)
        elif len(events) > len(known):
            ledger.events[task_id] = events
    ledger.reported_ended |= notes.reported_ended
    ledger.doubtful |= notes.doubtful
    for broken in notes.broken:
        ledger.breaks(broken.invariant, broken.detail)
    notes.broken.clear()
