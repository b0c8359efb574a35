"""Put the questions of all runs to a person, or decline them if nobody can answer."""

from typing import Any

from sidecar.api.errors import InvalidParams
from sidecar.api.runs.questions import QuestionAction
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.open_requests import Answerers, Asker, OpenRequests
from sidecar.subagents.questions.content import checked
from sidecar.subagents.questions.patterns import check_patterns
from sidecar.subagents.questions.question import AgentQuestion, Reply

UNATTENDED = "no client is connected that can answer"


class QuestionBroker:
    """Keep questions open until their first answers."""

    def __init__(self, requests: OpenRequests, clients: Answerers) -> None:
        self._requests = requests
        self._clients = clients
        self._questions: dict[str, AgentQuestion] = {}

    async def ask(self, asker: Asker, question: AgentQuestion) -> Reply:
        """Return the answer to a question. Wait for a person only if a client is connected."""
        if not self._clients.is_attended:
            return await self.decline(asker, question, UNATTENDED)
        waiting = self._requests.open(asker, question.attention())
        self._questions[question.request_id] = question
        try:
            await asker.emit(question.asked_event())
            self._requests.show(asker)
            is_answered = await waiting.is_answered(self._clients)
        except BaseException:
            self._close(question.request_id)
            await asker.emit(question.withdrawn_event())
            raise
        self._close(question.request_id)
        if not is_answered:
            return await self.decline(asker, question, UNATTENDED)
        reply: Reply = waiting.answered.result()
        await asker.emit(question.answered_event(reply, "user"))
        return reply

    async def decline(self, asker: Asker, question: AgentQuestion, reason: str) -> Reply:
        """Decline a question by a rule, and note that in the run's log."""
        reply = Reply("decline", reason=f"Declined: {reason}.")
        await asker.emit(question.answered_event(reply, "policy"))
        text = f"The question {question.title!r} was declined: {reason}.\n"
        await asker.emit({"type": "log", "stream": "agent", "text": text})
        return reply

    async def answer(
        self, record: RunRecord, request_id: str, action: QuestionAction, content: dict[str, Any] | None
    ) -> None:
        """Apply the first answer of a person.

        Raises InvalidState if the question is not open, and InvalidParams if the content does not fit.
        """
        waiting = self._requests.find(record, request_id)
        question = self._questions.get(request_id)
        if question is None:
            raise InvalidParams("action: the run asks for permission; answer with the optionId of an option")
        reply = Reply(action, await _content(question, action, content))
        self._requests.find(record, request_id)  # it may have closed while the patterns were checked
        self._close(request_id)
        waiting.answered.set_result(reply)

    def _close(self, request_id: str) -> None:
        self._questions.pop(request_id, None)
        self._requests.close(request_id)


async def _content(
    question: AgentQuestion, action: QuestionAction, content: dict[str, Any] | None
) -> dict[str, Any] | None:
    if content is not None and (action != "accept" or question.form is None):
        what = "an address" if question.form is None else action
        raise InvalidParams(f"content: not allowed for {what}; only an accepted form has content")
    if action != "accept" or question.form is None:
        return None
    found = checked(question.form, content or {})
    await check_patterns(question.form, found)
    return found
