"""How the outbox reaches an editor's agent."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from sidecar.subagents import AsyncTaskManager
from sidecar.subagents.reminders.deliveries import Recipient
from sidecar.subagents.reminders.outbox import Outbox
from sidecar.subagents.reminders.trigger_loop import TriggerLoop
from sidecar.subagents.tasks.model import AsyncTaskInfo
from tests.subagents.reminders.settling import settled

GOAL = {"terminate_reason": "GOAL", "emitted_vars": {}}


class Editor:
    """Answers triggers as a test says and counts them."""

    def __init__(self) -> None:
        self.busy = False
        self.answers: list[Any] = []
        self.sent: list[list[str]] = []
        self.called = asyncio.Condition()

    async def send(self, text: str, task_ids: list[str], delivery_id: str) -> bool:
        async with self.called:
            self.sent.append(task_ids)
            self.called.notify_all()
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, asyncio.Event):
            await answer.wait()
            return True
        return bool(answer)

    async def wait_for(self, count: int) -> None:
        async with asyncio.timeout(5), self.called:
            await self.called.wait_for(lambda: len(self.sent) >= count)


@pytest.fixture
def editor() -> Editor:
    return Editor()


@pytest.fixture
def outbox(manager: AsyncTaskManager) -> Outbox:
    return Outbox(manager)


@pytest.fixture
async def loop(manager: AsyncTaskManager, outbox: Outbox, editor: Editor) -> AsyncIterator[TriggerLoop]:
    loop = TriggerLoop(
        manager,
        outbox,
        is_agent_busy=lambda: editor.busy,
        send=editor.send,
        delays=[0.001],
        answer_seconds=0.05,
    )
    loop.start()
    yield loop
    await loop.aclose()


@pytest.fixture
def end(manager: AsyncTaskManager, start: Callable[[str], AsyncTaskInfo]) -> Callable[[str], None]:
    def end(id: str) -> None:
        start(id)
        manager.fail_task(id, "broke")

    return end


async def test_an_accepted_trigger_marks_its_ids(
    loop: TriggerLoop, editor: Editor, end: Any, outbox: Outbox
) -> None:
    end("a")
    await editor.wait_for(1)
    await settled()
    assert (editor.sent, outbox.next().text) == ([["a"]], "")


@pytest.mark.parametrize("answer", [False, RuntimeError("-32601"), asyncio.Event()])
async def test_a_refusal_an_error_and_silence_are_tried_again(
    loop: TriggerLoop, editor: Editor, end: Any, outbox: Outbox, answer: Any
) -> None:
    editor.answers = [answer]
    end("a")
    await editor.wait_for(2)
    await settled()
    assert editor.sent == [["a"], ["a"]]
    assert outbox.items()[0].state == "delivered"


async def test_a_busy_agent_is_left_alone_until_it_turns_idle(
    loop: TriggerLoop, editor: Editor, end: Any
) -> None:
    editor.busy = True
    end("a")
    await settled()
    assert editor.sent == []
    editor.busy = False
    loop.agent_became_idle()
    await editor.wait_for(1)


async def test_what_ended_before_the_start_is_sent(
    manager: AsyncTaskManager, outbox: Outbox, editor: Editor, end: Any
) -> None:
    end("a")
    loop = TriggerLoop(manager, outbox, is_agent_busy=lambda: False, send=editor.send)
    loop.start()
    await editor.wait_for(1)
    await loop.aclose()


async def test_closing_frees_what_was_in_flight(
    manager: AsyncTaskManager, outbox: Outbox, editor: Editor, end: Any
) -> None:
    editor.answers = [asyncio.Event()]
    loop = TriggerLoop(manager, outbox, is_agent_busy=lambda: False, send=editor.send)
    loop.start()
    end("a")
    await editor.wait_for(1)
    assert outbox.next().task_ids == []
    await loop.aclose()
    end("b")
    await settled()
    assert outbox.next().task_ids == ["a", "b"]
    assert len(editor.sent) == 1


async def test_what_one_editor_refuses_is_offered_to_another_at_once(
    manager: AsyncTaskManager, end: Any
) -> None:
    refuses, accepts = Editor(), Editor()
    refuses.answers = [False, False]
    loops: list[TriggerLoop] = []

    def offer() -> None:
        for loop in loops:
            loop.tasks_freed()

    outbox = Outbox(manager, on_freed=offer)
    loops += [
        TriggerLoop(manager, outbox, is_agent_busy=lambda: False, send=each.send, recipient=Recipient())
        for each in (refuses, accepts)
    ]
    for loop in loops:
        loop.start()
    end("a")
    await accepts.wait_for(1)
    await settled()
    assert (refuses.sent, accepts.sent) == ([["a"]], [["a"]])
    for loop in loops:
        await loop.aclose()


async def test_what_a_shorter_reminder_leaves_out_is_offered_to_others_at_once(
    manager: AsyncTaskManager, end: Any
) -> None:
    editor, reader = Editor(), Recipient()
    loops: list[TriggerLoop] = []
    outbox = Outbox(manager, on_freed=lambda: loops[0].tasks_freed())
    outbox.join(reader)
    end("a")
    end("b")
    assert outbox.next(reader).task_ids == ["a", "b"]
    loops.append(
        TriggerLoop(manager, outbox, is_agent_busy=lambda: False, send=editor.send, recipient=Recipient())
    )
    loops[0].start()
    await settled()
    assert editor.sent == []
    assert outbox.next(reader, max_chars=1).task_ids == ["a"]
    await editor.wait_for(1)
    assert editor.sent == [["b"]]
    await loops[0].aclose()
