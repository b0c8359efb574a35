"""When a result starts a turn of the agent, and what a failed turn does."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from sidecar.subagents import AsyncTaskAutoTrigger, AsyncTaskManager, AsyncTaskReminderService
from sidecar.subagents.tasks.model import AsyncTaskInfo
from tests.subagents.reminders.settling import checked, settled

Start = Callable[..., AsyncTaskInfo]
GOAL = {"terminate_reason": "GOAL", "emitted_vars": {}}
NEVER = 3_600.0


class Agent:
    """An agent whose turns a test accepts, refuses or holds open."""

    def __init__(self) -> None:
        self.busy = False
        self.turns: list[str] = []
        self.answer: Callable[[], Awaitable[object]] = self.accept
        self.called = asyncio.Condition()

    async def accept(self) -> None:
        return

    async def refuse(self) -> None:
        raise RuntimeError("not now")

    async def turn(self, text: str) -> object:
        async with self.called:
            self.turns.append(text)
            self.called.notify_all()
        return await self.answer()

    async def wait_for_turns(self, count: int) -> None:
        async with asyncio.timeout(5), self.called:
            await self.called.wait_for(lambda: len(self.turns) >= count)


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.fixture
def trigger(manager: AsyncTaskManager, agent: Agent) -> AsyncTaskAutoTrigger:
    return make_trigger(manager, agent, [NEVER])


def make_trigger(manager: AsyncTaskManager, agent: Agent, delays: Sequence[float]) -> AsyncTaskAutoTrigger:
    return AsyncTaskAutoTrigger(
        manager,
        AsyncTaskReminderService(manager),
        is_agent_busy=lambda: agent.busy,
        trigger_agent_turn=agent.turn,
        delays=delays,
    )


async def test_an_end_while_idle_starts_one_turn_and_is_marked_after_it(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()
    start("a")
    manager.complete_task("a", GOAL)
    assert agent.turns == []
    await settled()
    assert len(agent.turns) == 1
    assert '"agent_id": "a"' in agent.turns[0]
    assert manager.get_pending_notifications() == []


async def test_several_quick_ends_and_two_subscriptions_make_one_turn(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()
    trigger.subscribe()
    for id in "abc":
        start(id)
        manager.fail_task(id, "broke")
    await settled()
    assert len(agent.turns) == 1
    assert "3 async task(s) completed:" in agent.turns[0]


async def test_a_cancelled_task_never_triggers(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()
    start("a")
    manager.cancel_task("a")
    trigger.agent_became_idle()
    await settled()
    assert agent.turns == []


async def test_what_ends_while_busy_is_delivered_when_the_agent_turns_idle(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()
    agent.busy = True
    start("a")
    manager.complete_task("a", GOAL)
    await settled()
    assert agent.turns == []
    agent.busy = False
    trigger.agent_became_idle()
    await settled()
    assert len(agent.turns) == 1


async def test_what_ends_during_a_turn_gets_a_turn_of_its_own(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()
    finish = asyncio.Event()
    agent.answer = finish.wait
    for id in "ab":
        start(id)
    manager.complete_task("a", GOAL)
    await agent.wait_for_turns(1)
    manager.complete_task("b", GOAL)
    await checked()
    assert [task.id for task in manager.get_pending_notifications()] == ["a", "b"]
    finish.set()
    await agent.wait_for_turns(2)
    await settled()
    assert [('"a"' in text, '"b"' in text) for text in agent.turns] == [(True, False), (False, True)]
    assert manager.get_pending_notifications() == []


async def test_a_failed_turn_marks_nothing_and_is_tried_again_by_itself(
    manager: AsyncTaskManager, start: Start, agent: Agent
) -> None:
    make_trigger(manager, agent, [0, 0.001]).subscribe()
    agent.answer = agent.refuse
    start("a")
    manager.complete_task("a", GOAL)
    await agent.wait_for_turns(3)
    assert len(manager.get_pending_notifications()) == 1
    agent.answer = agent.accept
    await agent.wait_for_turns(len(agent.turns) + 1)
    await settled()
    assert manager.get_pending_notifications() == []


async def test_a_failed_turn_is_tried_again_when_the_agent_turns_idle(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()
    agent.answer = agent.refuse
    start("a")
    manager.complete_task("a", GOAL)
    await settled()
    agent.answer = agent.accept
    trigger.agent_became_idle()
    await settled()
    assert (len(agent.turns), manager.get_pending_notifications()) == (2, [])


async def test_the_waits_double_up_to_a_minute_and_start_over_after_a_success(
    manager: AsyncTaskManager, start: Start, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    loop = asyncio.get_running_loop()
    soon = loop.call_soon

    def call_later(delay: float, function: Callable[[], object], *args: Any, **rest: Any) -> Any:
        waits.append(delay)
        return soon(function, *args)

    trigger = AsyncTaskAutoTrigger(
        manager, AsyncTaskReminderService(manager), is_agent_busy=lambda: False, trigger_agent_turn=agent.turn
    )
    stop = trigger.subscribe()
    agent.answer = agent.refuse
    monkeypatch.setattr(loop, "call_later", call_later)
    start("a")
    manager.complete_task("a", GOAL)
    while len(waits) < 9:
        await asyncio.sleep(0)
    agent.answer = agent.accept
    await settled()
    failed = len(waits)
    agent.answer = agent.refuse
    start("b")
    manager.complete_task("b", GOAL)
    while len(waits) <= failed:
        await asyncio.sleep(0)
    stop()
    assert waits[:9] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert waits[failed] == 1


async def test_a_question_about_busyness_that_fails_is_asked_again(
    manager: AsyncTaskManager, start: Start, agent: Agent
) -> None:
    answers = iter([RuntimeError("gone"), False, False, False])

    def is_agent_busy() -> bool:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return bool(answer)

    trigger = AsyncTaskAutoTrigger(
        manager,
        AsyncTaskReminderService(manager),
        is_agent_busy=is_agent_busy,
        trigger_agent_turn=agent.turn,
        delays=[0],
    )
    trigger.subscribe()
    start("a")
    manager.complete_task("a", GOAL)
    await agent.wait_for_turns(1)


async def test_a_turn_cancelled_by_its_receiver_is_a_failed_one(
    manager: AsyncTaskManager, start: Start, agent: Agent
) -> None:
    make_trigger(manager, agent, [0]).subscribe()

    async def vanish() -> None:
        agent.answer = agent.accept
        raise asyncio.CancelledError

    agent.answer = vanish
    start("a")
    manager.complete_task("a", GOAL)
    await agent.wait_for_turns(2)
    await settled()
    assert manager.get_pending_notifications() == []


async def test_unsubscribing_ends_everything_and_may_be_repeated(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    unsubscribe = trigger.subscribe()
    agent.answer = asyncio.Event().wait
    for id in "ab":
        start(id)
    manager.complete_task("a", GOAL)
    await agent.wait_for_turns(1)
    unsubscribe()
    unsubscribe()
    manager.complete_task("b", GOAL)
    trigger.agent_became_idle()
    await settled()
    assert len(agent.turns) == 1
    assert len(manager.get_pending_notifications()) == 2
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_it_can_be_subscribed_again(
    manager: AsyncTaskManager, start: Start, agent: Agent, trigger: AsyncTaskAutoTrigger
) -> None:
    trigger.subscribe()()
    trigger.subscribe()
    start("a")
    manager.complete_task("a", GOAL)
    await settled()
    assert len(agent.turns) == 1


def test_an_end_without_a_loop_waits_for_the_next_wake_up(
    manager: AsyncTaskManager, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    service = AsyncTaskReminderService(manager)

    async def turn(text: str) -> None:
        raise AssertionError(text)

    AsyncTaskAutoTrigger(manager, service, is_agent_busy=lambda: False, trigger_agent_turn=turn).subscribe()
    start("a")
    assert manager.complete_task("a", GOAL)
    assert "no event loop is running" in caplog.text
