"""Answers that come while a question closes."""

import asyncio
from typing import Any

import pytest

from sidecar.api.errors import InvalidState
from sidecar.api.runs.async_tasks import AsyncTask, Attention, Progress
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.open_requests import OpenRequests
from sidecar.subagents.questions.broker import QuestionBroker
from sidecar.subagents.questions.form import read_form
from sidecar.subagents.questions.question import AgentQuestion


class Attended:
    """Clients that stay."""

    is_attended = True

    async def unattended(self) -> None:
        await asyncio.get_running_loop().create_future()


class Run:
    """A run that asks."""

    def __init__(self) -> None:
        task = AsyncTask(
            id="task-1",
            subagent_name="asking",
            goal_prompt="g",
            status="running",
            progress=Progress(last_activity_at=0),
            runner="r",
            workspace_dir="/w",
        )
        self.record = RunRecord(task=task, origin="client", request={})

    async def emit(self, event: dict[str, Any]) -> None:
        pass

    def redacted(self, attention: Attention) -> Attention:
        return attention

    def pause_timers(self) -> None:
        pass

    def resume_timers(self) -> None:
        pass


async def test_an_answer_is_too_late_if_the_question_closes_while_its_patterns_are_checked() -> None:
    form = read_form({"properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}}})
    broker, run = QuestionBroker(OpenRequests(lambda record: None), Attended()), Run()
    asking = asyncio.create_task(broker.ask(run, AgentQuestion(request_id="r", title="t", form=form)))
    await asyncio.sleep(0)  # it opens
    answering = asyncio.create_task(broker.answer(run.record, "r", "accept", {"name": "ada"}))
    await asyncio.sleep(0)  # a process is started, which takes longer than the following
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    with pytest.raises(InvalidState, match="it was answered or withdrawn"):
        await answering
