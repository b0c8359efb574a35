"""Fold the events of one run: the one place that interprets them."""

from typing import Any

from sidecar.api.runs.async_tasks import PartialResult, Progress
from sidecar.changes.fold import ChangesFold
from sidecar.subagents.fold.messages import Speech
from sidecar.subagents.fold.replay import Replay
from sidecar.subagents.fold.tools import ToolCalls
from sidecar.subagents.fold.turns import Turns
from sidecar.subagents.fold.unmet import UnmetRequests, awaited_of
from sidecar.subagents.fold.usage import Usage, retrying_of
from sidecar.subagents.fold.variables import Variables


class RunFold:
    """Take the events of a run in order; read progress, partial result, turns and usage at any time.

    `replay` is set where it was asked for: it keeps the end of the whole transcript. Events carry `ts` (ms
    since the epoch). Members of the wrong type are ignored, because the program of a runner wrote them.
    Memory is bounded, whatever a run sends.
    """

    def __init__(self, at: int, workspace: str = "/", *, with_replay: bool = False) -> None:
        """Begin at `at`, in ms since the epoch; changed files inside `workspace` are relative to it."""
        self.changes = ChangesFold(workspace)
        self.replay = Replay() if with_replay else None
        self.last_activity_at = at
        self.turns = Turns()
        self.tools = ToolCalls()
        self.usage = Usage()
        self.unmet = UnmetRequests()
        self.retrying = retrying_of({})
        self.awaited_servers: list[str] = []
        self._speech = Speech()
        self._emitted = Variables()

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event."""
        if isinstance(event.get("ts"), int):
            self.last_activity_at = event["ts"]
        self.retrying = retrying_of(event)
        if event.get("type") != "log":
            self.awaited_servers = []
        if self.replay is not None:
            self.replay.take(event)
        match event.get("type"):
            case "message" | "result" if event.get("role") != "user":
                self._speech.take(event)
                self.turns.take(event)
            case "thought":
                self.turns.take(event)
            case "tool":
                self.turns.take(event)
                self.tools.take(event)
                self.changes.take(event)
            case "usage":
                self.usage.take(event)
            case "log":
                self.unmet.take(event)
                self.awaited_servers = awaited_of(event) or self.awaited_servers
            case "emit" if isinstance(event.get("name"), str):
                self._emitted.keep(event["name"], event.get("value"))
            case "state" if event.get("status") not in ("queued", "running"):
                self.tools.end_all()

    def _awaited(self) -> list[str]:
        """Return the servers that the agent may wait for, without those that it has reported since."""
        failed = {each.wanted for each in self.unmet.known() or () if each.kind == "mcpServer"}
        return [name for name in self.awaited_servers if name not in failed]

    def cut_short(self) -> None:
        """Keep the newest message and the open call in the partial result: a limit is about to end them."""
        self._speech.cut_short()
        self.tools.cut_short()

    def progress(self) -> Progress:
        """Return what the run has done so far."""
        usage = self.usage
        return Progress(
            turns=self.turns.count,
            tool_calls=self.tools.started,
            current_tool=self.tools.current_name(),
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_reads=usage.cache_reads,
            cache_writes=usage.cache_writes,
            cost=usage.cost,
            retrying=self.retrying,
            awaited_servers=self._awaited() or None,
            unmet=self.unmet.known(),
            last_activity_at=self.last_activity_at,
            last_text=self._speech.last_line(),
        )

    def partial(self) -> PartialResult:
        """Return what the run has produced so far."""
        return PartialResult(
            final_message=self._speech.final_message(),
            emitted_vars=dict(self._emitted.values),
            touched_files=self.tools.touched_files(),
            open_tool=self.tools.open_title(),
        )
