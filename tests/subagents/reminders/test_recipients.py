"""Several models: each end reaches one of them at a time, none is lost, and what one leaves another gets."""

from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.reminders.deliveries import Delivery, Recipient, ReminderOptions
from sidecar.subagents.reminders.outbox import Outbox

GOAL = {"terminate_reason": "GOAL", "emitted_vars": {}}
WHO = st.integers(0, 2)


class Models(RuleBasedStateMachine):
    """Three models: the first two share a workspace, the third sees everything in short texts."""

    def __init__(self) -> None:
        super().__init__()
        self.manager = AsyncTaskManager(1_000, now=lambda: 1_000_000)
        self.marked: list[str] = []
        self.states: dict[str, Delivery] = {}
        ids = count(1)
        self.outbox = Outbox(
            self.manager,
            on_delivery=self.keep,
            on_marked=lambda task_ids, at: self.marked.extend(task_ids),
            new_id=lambda: f"d{next(ids)}",
            elapsed=lambda: 0.0,
        )
        self.numbers = count(1)
        self.ended: set[str] = set()
        self.models = [self.model(number) for number in range(3)]
        self.present = set(range(3))
        self.triggers: dict[str, tuple[int, list[str]]] = {}
        for model in self.models:
            self.outbox.join(model)

    def keep(self, delivery: Delivery) -> None:
        self.states[delivery.delivery_id] = delivery

    def model(self, number: int) -> Recipient:
        if number == 2:
            return Recipient(options=lambda: ReminderOptions(max_chars=300))
        return Recipient(lambda task_id: task_id.startswith("here"))

    @rule(place=st.sampled_from(["here", "there"]))
    def end_a_run(self, place: str) -> None:
        task_id = f"{place}-{next(self.numbers)}"
        self.manager.register_task(id=task_id, subagent_name="s", goal_prompt="g", abort=lambda: None)
        self.manager.complete_task(task_id, GOAL)
        self.ended.add(task_id)

    @rule(who=WHO)
    def ask(self, who: int) -> None:
        if who in self.present:
            others = self.held(besides=who)
            triggering = {each for _, ids in self.triggers.values() for each in ids}
            reminder = self.outbox.next(self.models[who])
            assert not others.intersection(reminder.task_ids)
            assert not triggering.intersection(reminder.task_ids)
            assert all(self.models[who].concerns(each) for each in reminder.task_ids)
            free = self.pending(who) - others - triggering
            assert bool(reminder.task_ids) == bool(free)

    @rule(who=WHO)
    def acknowledge(self, who: int) -> None:
        held = self.models[who].open
        if held is not None:
            self.outbox.delivered(held.delivery_id, self.models[who])
            assert set(held.task_ids) <= set(self.marked)

    @rule(who=WHO, other=WHO)
    def acknowledge_what_another_holds(self, who: int, other: int) -> None:
        held = self.models[other].open
        if held is not None and who != other:
            assert self.outbox.carried_by(held.delivery_id, self.models[who]) == []
            assert self.outbox.delivered(held.delivery_id, self.models[who]) == []
            assert self.models[other].open is held

    @rule(who=WHO)
    def begin_a_turn(self, who: int) -> None:
        if who in self.present:
            can = self.outbox.has_triggerable(self.models[who])
            begun = self.outbox.begin_trigger(self.models[who])
            assert (begun is not None) == can
            if begun is not None:
                assert begun.delivery_id is not None
                assert not self.held(besides=who).intersection(begun.task_ids)
                self.triggers[begun.delivery_id] = (who, list(begun.task_ids))

    @precondition(lambda self: self.triggers)
    @rule(accepted=st.booleans())
    def answer_a_turn(self, accepted: bool) -> None:
        delivery_id = next(iter(self.triggers))
        _, task_ids = self.triggers.pop(delivery_id)
        self.outbox.trigger_answered(delivery_id, accepted)
        assert not accepted or set(task_ids) <= set(self.marked)

    @rule(who=WHO)
    def leave_or_come_back(self, who: int) -> None:
        if who not in self.present:
            self.models[who] = self.model(who)
            self.outbox.join(self.models[who])
            self.present.add(who)
            return
        for delivery_id in [each for each, (owner, _) in self.triggers.items() if owner == who]:
            del self.triggers[delivery_id]
            self.outbox.trigger_answered(delivery_id, accepted=False)
        held = self.models[who].open
        self.outbox.leave(self.models[who])
        self.present.discard(who)
        assert self.models[who].open is None
        assert held is None or self.states[held.delivery_id].state == "failed"

    def held(self, besides: int) -> set[str]:
        return {
            each
            for number, model in enumerate(self.models)
            if number != besides and model.open is not None
            for each in model.open.task_ids
        }

    def pending(self, who: int) -> set[str]:
        return {each for each in self.ended - set(self.marked) if self.models[who].concerns(each)}

    @invariant()
    def every_end_is_marked_once_or_pending(self) -> None:
        assert len(self.marked) == len(set(self.marked))
        waiting = {task.id for task in self.manager.get_pending_notifications()}
        assert waiting == self.ended - set(self.marked)

    @invariant()
    def no_end_is_with_two_models(self) -> None:
        given = [
            each
            for model in self.models
            if model.open is not None
            for each in model.open.task_ids
            if each not in self.marked
        ]
        assert len(given) == len(set(given))

    def teardown(self) -> None:
        for delivery_id in list(self.triggers):
            self.outbox.trigger_answered(delivery_id, accepted=False)
        for model in self.models:
            self.outbox.leave(model)
        last = Recipient()
        self.outbox.join(last)
        reported = self.outbox.next(last)
        assert set(reported.task_ids) == self.ended - set(self.marked)


Models.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestSeveralModels = Models.TestCase
