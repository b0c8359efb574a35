"""The open questions of a run on a cluster, and the answers that its node may not have yet."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Set
from typing import Any

import msgspec

from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.questions.question import AgentQuestion, Reply
from sidecar.subagents.runners.contract import RunObserver

logger = logging.getLogger(__name__)


class OpenQuestions:
    """Ask each question of a node once; send its answer again if the node asks again."""

    def __init__(self, observer: RunObserver, answered: Callable[[str, Answer | Reply], None]) -> None:
        self._observer = observer
        self._answered = answered
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._answers: dict[str, Answer | Reply] = {}

    def ask(self, asked: Mapping[str, Any]) -> None:
        """Ask, unless the question is open here; repeat an answer that exists.

        `asked` has a `number` and a permission request as `question`, or a question to a person as `form`,
        which is only declined if there is a reason in `declined`.
        """
        number = asked["number"]
        if number in self._answers:
            self._answered(number, self._answers[number])
        elif number not in self._asking:
            self._asking[number] = asyncio.create_task(self._ask(number, asked), name=f"question {number}")

    def withdraw(self, number: str) -> None:
        """Withdraw a question that the agent no longer asks."""
        asking = self._asking.pop(number, None)
        if asking is not None:
            asking.cancel()

    def keep_only(self, numbers: Set[str]) -> None:
        """Withdraw the questions that are not open on the node."""
        for number in list(self._asking.keys() - numbers):
            self.withdraw(number)

    def close(self) -> None:
        """Withdraw all questions."""
        self.keep_only(frozenset())

    async def _ask(self, number: str, asked: Mapping[str, Any]) -> None:
        answer: Answer | Reply
        try:
            answer = await self._answer_to(asked)
        except Exception as error:
            logger.exception("question %s of a run on a cluster failed", number)
            is_form = "form" in asked
            answer = Reply("decline", reason=str(error)) if is_form else Answer(None, str(error))
        self._asking.pop(number, None)
        self._answers[number] = answer
        self._answered(number, answer)

    async def _answer_to(self, asked: Mapping[str, Any]) -> Answer | Reply:
        if "form" not in asked:
            return await self._observer.ask(msgspec.convert(asked["question"], Question))
        question = msgspec.convert(asked["form"], AgentQuestion)
        if "declined" in asked:
            return await self._observer.decline(question, asked["declined"])
        return await self._observer.ask_user(question)
