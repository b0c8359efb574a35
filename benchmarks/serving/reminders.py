"""The time that the model's reminders and summary block the event loop while many ends are pending."""

import time
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from benchmarks.measure import Comparison, interleave, within
from benchmarks.promises import REMINDER_SECONDS
from sidecar.subagents.reminders.deliveries import ReminderOptions
from sidecar.subagents.reminders.outbox import Outbox
from sidecar.subagents.reminders.summary import render_status_summary
from sidecar.subagents.tasks.manager import AsyncTaskManager

_MANY: Final = 2_000
_FEW: Final = 10
_MAX_CHARS: Final = 20_000
"""The default of `reminders.maxChars`."""
_MESSAGE: Final = "The tests pass; the parser now keeps comments.\n" * (8 * 1024 // 47)
_VARIABLES: Final = {f"file{number}": f"src/module{number}.py" for number in range(200)}
_OUTPUTS: Final[dict[str, dict[str, Any]]] = {
    "a message of 8 KB": {"terminate_reason": "GOAL", "emitted_vars": {}, "final_message": _MESSAGE},
    "200 values, 8 KB": {"terminate_reason": "GOAL", "emitted_vars": _VARIABLES},
}


def measure(runs: int) -> list[Comparison]:
    """Compare every step with 2,000 pending ends to the limit, and the reminder to one for 10 ends."""
    comparisons = []
    for name, output in _OUTPUTS.items():
        many, few = _outbox(_MANY, output), _outbox(_FEW, output)
        for what, step in _STEPS.items():
            ours, peer = interleave([_timed(step, *many), _timed(step, *few)], runs)
            label = f"{what}, 2,000 pending ends, {name}"
            comparisons.append(within(label, ours, REMINDER_SECONDS))
            comparisons.append(Comparison(label, "10 pending ends", ours, peer))
    return comparisons


def _outbox(ends: int, output: dict[str, Any]) -> tuple[AsyncTaskManager, Outbox]:
    clock = count()
    manager = AsyncTaskManager(now=lambda: next(clock))
    for number in range(ends):
        task_id = f"{number:08}-0000-4000-8000-000000000000"
        manager.register_task(id=task_id, subagent_name="scout", goal_prompt="look", abort=lambda: None)
        manager.complete_task(task_id, output)
    return manager, Outbox(manager, ReminderOptions(max_chars=_MAX_CHARS))


def _next(manager: AsyncTaskManager, outbox: Outbox) -> None:
    assert outbox.next().delivery_id is not None


def _trigger(manager: AsyncTaskManager, outbox: Outbox) -> None:
    turn = outbox.begin_trigger()
    assert turn is not None and turn.delivery_id is not None
    outbox.trigger_answered(turn.delivery_id, accepted=False)


def _status(manager: AsyncTaskManager, outbox: Outbox) -> None:
    assert len(render_status_summary(manager.get_all_tasks(), max_chars=_MAX_CHARS)) <= _MAX_CHARS


def _end(manager: AsyncTaskManager, outbox: Outbox) -> None:
    """Launch and end one more; it is marked, but kept behind the pending ones."""
    manager.register_task(id="one more", subagent_name="scout", goal_prompt="look", abort=lambda: None)
    manager.complete_task("one more", {})
    outbox.dismiss("one more")


_STEPS: Final = {
    "reminders/next": _next,
    "agent/triggerTurn": _trigger,
    "reminders/status": _status,
    "one more end": _end,
}


def _timed(
    step: Callable[[AsyncTaskManager, Outbox], None], manager: AsyncTaskManager, outbox: Outbox
) -> Callable[[], float]:
    """Return a function that measures the processor time of a step, which blocks the loop."""

    def timed() -> float:
        start = time.process_time()
        step(manager, outbox)
        return time.process_time() - start

    return timed
