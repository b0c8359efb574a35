"""Write the reports of a run on a node to its journal, and wait for answers."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from sidecar.fleet.node_question import passed_on
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.questions.question import AgentQuestion, Reply
from sidecar.subagents.runners.contract import RunObserver
from sidecar.subagents.runners.remote.job import to_plain

Record = Callable[[dict[str, Any]], None]


class NodeObserver(RunObserver):
    """Turn the reports of a runner into journal lines. Questions stay open until the sidecar answers.

    `state` repeats what a sidecar that connects later must know besides the lines.
    """

    def __init__(self, record: Record, active: Callable[[], None], tree: Path) -> None:
        """`tree` is the work tree of the run."""
        self._record = record
        self._tree = tree
        self._active = active
        self._open: dict[str, tuple[dict[str, Any], asyncio.Future[Any]]] = {}
        self._numbers = 0
        self.without_secrets: Callable[[Any], Any] = lambda value: value
        self.questions_changed: Callable[[int], None] = lambda _: None
        self.ready_state: bool | None = None
        self.session_id: str | None = None
        self.mode: str | None = None
        self.model: str | None = None
        self.effort: str | None = None

    def ready(self, *, silence_counts: bool) -> None:
        """Report that the agent is ready."""
        self.ready_state = silence_counts
        self._record({"ready": silence_counts})

    def in_session(self, session_id: str) -> None:
        """Report the agent's session."""
        self.session_id = session_id
        self._record({"session": session_id})

    def configured(self, *, mode: str | None, model: str | None, effort: str | None = None) -> None:
        """Report the configuration of the session."""
        self.mode, self.model = mode or self.mode, model or self.model
        self.effort = effort or self.effort
        self._record({"configured": {"mode": mode, "model": model, "effort": effort}})

    def active(self) -> None:
        """Note activity without an event."""
        self._active()

    async def ask(self, question: Question) -> Answer:
        """Wait for the sidecar's answer; a cancel withdraws the question."""
        asked = await asyncio.to_thread(passed_on, question, self._tree, self.without_secrets)
        return msgspec.convert(await self._answered({"question": asked}), Answer)

    async def ask_user(self, question: AgentQuestion) -> Reply:
        """Wait for the sidecar's answer to a question; a cancel withdraws it."""
        return msgspec.convert(await self._answered({"form": self._form(question)}), Reply)

    async def decline(self, question: AgentQuestion, reason: str) -> Reply:
        """Have the sidecar decline a question and report the reason."""
        asked = {"form": self._form(question), "declined": self.without_secrets(reason)}
        return msgspec.convert(await self._answered(asked), Reply)

    def _form(self, question: AgentQuestion) -> Any:
        return self.without_secrets(to_plain(question))

    async def _answered(self, members: dict[str, Any]) -> Any:
        self._numbers += 1
        number = str(self._numbers)
        asked = {"number": number, **members}
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = (asked, answer)
        self._record({"ask": asked})
        self.questions_changed(len(self._open))
        try:
            return await answer
        finally:
            self._open.pop(number, None)
            if not answer.done() or answer.cancelled():
                self._record({"withdrawn": number})
            self.questions_changed(len(self._open))

    def answer(self, number: str, answer: Any) -> bool:
        """Forward an answer; return False if the question is closed."""
        _, future = self._open.get(number, (None, None))
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True

    def state(self) -> dict[str, Any]:
        """Return the reports so far, and the open questions."""
        return {
            "ready": self.ready_state,
            "session": self.session_id,
            "mode": self.mode,
            "model": self.model,
            "effort": self.effort,
            "open": [asked for asked, answer in self._open.values() if not answer.done()],
        }
