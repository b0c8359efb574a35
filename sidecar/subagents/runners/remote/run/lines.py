"""Pass on what the lines of a run report."""

from collections.abc import Set
from typing import Any

from sidecar.subagents.permissions.question import Answer
from sidecar.subagents.questions.question import Reply
from sidecar.subagents.runners.contract import Emit, RunObserver
from sidecar.subagents.runners.remote.job import EXTRA_SECONDS, RemoteRecord, to_plain
from sidecar.subagents.runners.remote.run.channel import RemoteChannel
from sidecar.subagents.runners.remote.run.node import RunNode
from sidecar.subagents.runners.remote.run.questions import OpenQuestions
from sidecar.subagents.runners.remote.run.requests import RunRequests
from sidecar.subagents.runners.remote.run.sequence import LineSequence


class RunLines:
    """Take each line of a run once, in order. `last` is the one with the result, once it has come."""

    def __init__(
        self,
        record: RemoteRecord,
        node: RunNode,
        requests: RunRequests,
        observer: RunObserver,
        emit: Emit,
        after: int,
        *,
        is_found: bool,
    ) -> None:
        """`after` is the number of the last line whose event is recorded."""
        self._record = record
        self._node = node
        self._requests = requests
        self._observer = observer
        self._emit = emit
        self._is_found = is_found
        self._sequence = LineSequence(after)
        self._questions = OpenQuestions(observer, self._send_answer)
        self._has_begun = False
        self._activity = 0
        self._reported = 0
        self._open: Set[str] = frozenset()
        self.channel = RemoteChannel(requests)
        self.last: dict[str, Any] | None = None

    @property
    def count(self) -> int:
        """The number of the newest line that was taken."""
        return self._sequence.last

    def take_over(self, place: dict[str, Any]) -> None:
        """Take over what the lines do not repeat, when the run is found again."""
        if not place["started"]:
            return
        self._has_begun = place["begun"]
        if place["ready"] is not None:
            self._observer.ready(silence_counts=place["ready"])
            self.channel.is_open = place["listens"]
        if place["session"] is not None:
            self._observer.in_session(place["session"])
        if place["timeLeft"] is not None and self._is_found:
            margin = EXTRA_SECONDS + self._record.constraints.grace_seconds
            self._observer.time_left(place["timeLeft"] - margin)
        self._observer.configured(mode=place["mode"], model=place["model"], effort=place["effort"])
        self._reported, self._open = place["last"], {each["number"] for each in place["open"]}
        self._questions.keep_only(self._open)
        for each in place["open"]:
            self._ask(each)

    async def take(self, batch: dict[str, Any]) -> None:
        """Take a batch. Raises SequenceGap if lines before it are missing.

        Raises RunSilent after the lines if the cluster was without its control service for too long.
        """
        self._node.heard(batch.get("silence", 0.0))
        if self._node.is_headless:
            self._node.report("reconnecting")
        else:  # a node takes long to make the tree of a large repository; the agent has not started then
            self._node.report("running" if self._has_begun else "starting")
        if batch.get("activity", 0) != self._activity:
            self._activity = batch["activity"]
            self._observer.active()
        for number, line in self._sequence.accept(batch["after"], batch["lines"]):
            await self._take_line(number, line)
        if self.last is None:
            self._node.check_silence()

    async def log(self, text: str) -> None:
        """Add a line to the run's log."""
        await self._emit({"type": "log", "stream": "stderr", "text": text})

    def close(self) -> None:
        """Withdraw all questions."""
        self._questions.close()

    async def _take_line(self, number: int, line: dict[str, Any]) -> None:
        if "event" in line:
            event = self._node.paths.event(line["event"])
            self.channel.take(event)
            await self._emit({**event, "nodeSeq": number})
        elif "begun" in line:
            self._has_begun = True
            self._node.report("running")
        elif "ready" in line:
            self.channel.is_open = True
            self._observer.ready(silence_counts=line["ready"])
        elif "session" in line:
            self._observer.in_session(line["session"])
        elif "configured" in line:
            self._observer.configured(**line["configured"])
        elif "ask" in line:
            if number > self._reported or line["ask"]["number"] in self._open:
                self._ask(line["ask"])  # else it was answered before the run was found
        elif "withdrawn" in line:
            self._questions.withdraw(line["withdrawn"])
        elif "result" in line:
            self.channel.is_open = False
            self.last = line

    def _ask(self, asked: dict[str, Any]) -> None:
        self._questions.ask(self._node.paths.here(asked))

    def _send_answer(self, number: str, answer: Answer | Reply) -> None:
        self._requests.begin("answer", number=number, answer=to_plain(answer))
