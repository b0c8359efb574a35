"""What the client learned of one root: the only truth that outlives a killed server."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Json = dict[str, Any]
ENDED = frozenset({"completed", "failed", "cancelled"})


class End(NamedTuple):
    """A run's end as reported; `output` is None where the answer did not carry it."""

    status: str
    reason: str
    output: str | None

    def agrees(self, other: "End") -> bool:
        """Return whether both can be the same end."""
        same_output = None in (self.output, other.output) or self.output == other.output
        return self[:2] == other[:2] and same_output


class Broken(NamedTuple):
    """An invariant that does not hold, and what was seen."""

    invariant: str
    detail: str


@dataclass
class Notes:
    """Everything reported about the runs of one root, over all its servers."""

    launched: dict[str, str] = field(default_factory=dict)
    """Runner by task id, of the launches that were answered."""
    ends: dict[str, End] = field(default_factory=dict)
    reported_ended: set[str] = field(default_factory=set)
    """The tasks named by a reminder or a turn, which tell no status."""
    events: dict[str, list[Json]] = field(default_factory=dict)
    acknowledged: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    """The tasks whose delivery was sent and not answered: both is right."""
    cancels: set[str] = field(default_factory=set)
    """The tasks that a client asked to cancel, answered or not."""
    broken: list[Broken] = field(default_factory=list)
    _known: set[tuple[str, str]] = field(default_factory=set)

    def breaks(self, invariant: str, detail: str, task_id: str = "") -> None:
        """Note that an invariant does not hold; of one task it is noted once, since it stays broken."""
        if task_id and (invariant, task_id) in self._known:
            return
        self._known.add((invariant, task_id))
        self.broken.append(Broken(invariant, f"{task_id}: {detail}" if task_id else detail))

    def take_task(self, task: Json, source: str) -> None:
        """Note an end that an answer or a notification tells."""
        if task["status"] not in ENDED:
            if task["id"] in self.ends:
                self.breaks("ends", f"{source}: {task['status']} after {self.ends[task['id']]}", task["id"])
            return
        message = (task.get("output") or {}).get("final_message")
        end = End(task["status"], task.get("endReason", ""), message)
        before = self.ends.setdefault(task["id"], end)
        if not before.agrees(end):
            self.breaks("ends", f"{source}: {end}, but {before} was reported", task["id"])
        elif before.output is None:
            self.ends[task["id"]] = end

    def take_events(self, task_id: str, events: list[Json]) -> None:
        """Note the events of a subscription, which have to continue where the last ones ended."""
        known = self.events.setdefault(task_id, [])
        for event in events:
            if event["seq"] != len(known) + 1:
                self.breaks("events", f"didOutput: {event['seq']} after {len(known)} events", task_id)
            known.append(event)

    def take_reminder(self, task_ids: list[str], source: str) -> None:
        """Note the runs that a reminder or a turn names."""
        for task_id in task_ids:
            self.reported_ended.add(task_id)
            if task_id in self.acknowledged:
                self.breaks("reminders", f"{source}: reported again after its delivery was answered", task_id)
