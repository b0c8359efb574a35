"""What holds of the manager and the outbox whatever happens in whatever order."""

from itertools import count
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.reminders.deliveries import NextReminder
from sidecar.subagents.reminders.outbox import Outbox
from sidecar.subagents.tasks.slots import Slot

GOAL = {"terminate_reason": "GOAL", "emitted_vars": {}}


class Core(RuleBasedStateMachine):
    slots: Bundle[Slot] = Bundle("slots")
    known: Bundle[str] = Bundle("known")
    triggers: Bundle[NextReminder] = Bundle("triggers")
    nexts: Bundle[NextReminder] = Bundle("nexts")

    @initialize(limit=st.integers(1, 3))
    def begin(self, limit: int) -> None:
        self.ms = 0
        self.limit = limit
        self.numbers = count()
        self.manager = AsyncTaskManager(limit, now=lambda: self.ms)
        self.acknowledged: list[str] = []
        self.outbox = Outbox(
            self.manager,
            on_marked=lambda ids, at: self.acknowledged.extend(ids),
            elapsed=lambda: self.ms / 1_000,
        )
        self.ends: dict[str, str] = {}
        self.owed: set[str] = set()
        self.held: set[Slot] = set()

    @rule(target=slots)
    def reserve(self) -> Any:
        slot = self.manager.reserve_slot()
        running = len(self.manager.get_running_tasks())
        assert (slot is None) == (running + len(self.held) >= self.limit)
        if slot is None:
            return None
        self.held.add(slot)
        return slot

    @rule(slot=consumes(slots))
    def release(self, slot: Slot | None) -> None:
        if slot is not None:
            slot.release()
            self.held.discard(slot)

    @rule(target=known, slot=consumes(slots))
    def register(self, slot: Slot | None) -> Any:
        id = f"t{next(self.numbers)}"
        if slot is None:
            return id
        self.manager.register_task(id=id, subagent_name="n", goal_prompt="g", abort=lambda: None, slot=slot)
        self.held.discard(slot)
        return id

    @rule(id=known, how=st.sampled_from(["completed", "failed", "cancelled", "cancelled unasked"]))
    def end(self, id: str, how: str) -> None:
        task = self.manager.get_task(id)
        was_running = task is not None and task.status == "running"
        if how == "completed":
            ended = self.manager.complete_task(id, GOAL)
        elif how == "failed":
            ended = self.manager.fail_task(id, "broke")
        else:
            ended = self.manager.cancel_task(id)
        assert ended == was_running
        if not ended or task is None:
            return
        self.ends[id] = task.status
        if how == "cancelled unasked":
            self.outbox.note_cancelled(task)
        if how != "cancelled":
            self.owed.add(id)

    @rule(target=nexts)
    def ask_for_next(self) -> NextReminder:
        return self.outbox.next()

    @rule(reminder=nexts)
    def acknowledge(self, reminder: NextReminder) -> None:
        marked = self.outbox.delivered(reminder.delivery_id or "")
        assert set(marked) <= set(reminder.task_ids)

    @rule(target=triggers)
    def begin_trigger(self) -> NextReminder:
        return self.outbox.begin_trigger() or NextReminder("")

    @rule(trigger=triggers, accepted=st.booleans())
    def answer(self, trigger: NextReminder, accepted: bool) -> None:
        marked = self.outbox.trigger_answered(trigger.delivery_id or "", accepted)
        assert set(marked) <= set(trigger.task_ids if accepted else [])

    @rule(ms=st.sampled_from([1, 1_000, 60_000]))
    def pass_time(self, ms: int) -> None:
        self.ms += ms

    @invariant()
    def never_more_than_the_limit(self) -> None:
        assert len(self.manager.get_running_tasks()) + len(self.held) <= self.limit

    @invariant()
    def the_first_end_stays(self) -> None:
        for task in self.manager.get_all_tasks():
            assert task.status == self.ends.get(task.id, "running")

    @invariant()
    def nothing_owed_is_trimmed(self) -> None:
        waiting = self.owed - set(self.acknowledged)
        assert {item.task_id for item in self.outbox.items() if item.state != "delivered"} == waiting
        kept = {task.id for task in self.manager.get_all_tasks()}
        assert {id for id in waiting if self.ends[id] != "cancelled"} <= kept

    def teardown(self) -> None:
        """Acknowledge what is left: then every end owed was acknowledged exactly once."""
        if not hasattr(self, "manager"):
            return
        self.ms += 60_001  # past the limit of a trigger, whatever its rounding
        while (reminder := self.outbox.next()).task_ids:
            self.outbox.delivered(reminder.delivery_id or "")
        assert sorted(self.acknowledged) == sorted(self.owed)


TestCore = Core.TestCase
TestCore.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
