"""Turn an agent's session updates into the events of a run. A fold without I/O.

Updates are not validated, so that an agent with a newer protocol does not end a run.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.runners.acp.updates.children import SUBAGENT, Children, subagent_of
from sidecar.subagents.runners.acp.updates.compactions import COMPACTION, Compactions
from sidecar.subagents.runners.acp.updates.messages import CHUNKS, Event, Messages, new_message_id
from sidecar.subagents.runners.acp.updates.notices import Notices, log, notice_in
from sidecar.subagents.runners.acp.updates.question import question_of
from sidecar.subagents.runners.acp.updates.servers import ServerFailures, is_startup
from sidecar.subagents.runners.acp.updates.tools import ToolCalls
from sidecar.subagents.runners.acp.updates.usage import Tokens, Usage
from sidecar.subagents.runners.output.model_errors import ModelError
from sidecar.subagents.runners.output.output_prompts import output_problems
from sidecar.subagents.runners.output.outputs import EmittedVars

_TEXT_TYPES = frozenset(CHUNKS.values())
_ENTRY = ("content", "priority", "status")
_REPEATED = "the agent's model started its answer again because its connection or stream was interrupted"


class SessionEvents:
    """The events of one run's session: messages, tools, plan, usage, and the agent's reports about itself.

    `session_id` is the run's own session. While it is unknown, all updates count as the run's own.
    """

    def __init__(
        self,
        new_id: Callable[[], str] = new_message_id,
        *,
        takes_outputs: bool = False,
        servers: Collection[str] = (),
    ) -> None:
        """`servers` are the names of the MCP servers that the agent gets."""
        self.session_id: str | None = None
        self.children = Children()
        self.is_muted = False
        """Whether updates are dropped because they repeat an earlier run of the session."""
        self.refused: Question | None = None
        """The last refused question, until the agent writes a message or starts another tool call."""
        self.is_idle = True
        """Whether the current turn has no messages, thoughts or actions yet."""
        self.retrying: ModelError | None = None
        """The error for which the agent is repeating a model request; None once it does something else."""
        self.usage = Usage()
        self.last_answer = LastAnswer()
        self._notices = Notices()
        self._text_after_failure: str | None = None
        self._messages = Messages(
            new_id, lambda: self._notices.retrying(_REPEATED), takes_outputs=takes_outputs
        )
        self._tools = ToolCalls()
        self._compactions = Compactions()
        self._servers = ServerFailures(servers)

    @property
    def emitted(self) -> EmittedVars:
        """The variables that the run has emitted."""
        return self._messages.emitted

    @property
    def block_problem(self) -> str | None:
        """Why the last block of outputs was not read; None if it was, or there is none."""
        return self._messages.block_problem

    def output_problems(self, missing: Iterable[str]) -> list[str]:
        """Explain why outputs are missing although the agent wrote them."""
        return output_problems(missing, self.emitted.left_out, self.block_problem)

    def take(self, update: Mapping[str, Any], session_id: object = None) -> Iterator[Event]:
        """Yield the events of one `session/update`; none for updates that displays ignore, such as modes."""
        if self.is_muted:
            return
        if self.is_of_a_child(session_id):
            yield from self.children.take(str(session_id), update)
            return
        yield from self._noted(self._own(update))
        yield from self._servers.update(update)

    def tool(self, call: Mapping[str, Any], session_id: object = None) -> Iterator[Event]:
        """Yield the events of a tool call in a permission request, which may be new."""
        yield from self.take({**call, "sessionUpdate": "tool_call_update", "status": None}, session_id)

    def claude_message(self, message: Any) -> Iterator[Event]:
        """Yield the events of a claude SDK message about a model request, or about its servers."""
        yield from self._noted(self._notices.claude_message(message))
        yield from self._servers.claude_message(message)

    def stderr(self, events: Iterator[Event]) -> Iterator[Event]:
        """Yield `log` events of stderr, with `retrying` if they report a repeated model request."""
        for event in events:
            yield from self._noted(iter((self._notices.stderr(event),)))
            yield from self._servers.stderr(event["text"])

    def failed_servers(self, failed: Mapping[str, str]) -> Iterator[Event]:
        """Yield the events of MCP servers that the agent reports as not working when it is asked."""
        return self._servers.known(failed)

    def begin_turn(self) -> None:
        """Start a turn, and reset the state of the previous one."""
        self.refused = None
        self.is_idle = True
        self.last_answer.begin_turn()
        self._notices.begin_turn()

    def end_turn(self, tokens: Tokens) -> Iterator[Event]:
        """Yield the events at the end of a turn: held text, the end of refused calls, and its tokens."""
        yield from self._noted(self.flush())
        yield from self._tools.finish()
        yield from self.usage.end_turn(tokens)

    def flush(self) -> Iterator[Event]:
        """End the message and yield its held text."""
        yield from self._messages.flush()

    def failure(self) -> ModelError | None:
        """Return the error for which the agent reported the current turn as failed, or None."""
        return self._notices.failure(self._text_after_failure)

    def asked(self) -> None:
        """Record that the agent asks a person, which counts as an action of its turn."""
        self.is_idle, self.retrying = False, None

    def refuse(self, question: Question) -> None:
        """Record that a question of the run's own session was refused."""
        self.refused = question
        self._tools.refuse(question.tool_call_id)

    def question(self, params: Mapping[str, Any]) -> Question:
        """Return the question for a permission request."""
        session_id, call = params.get("sessionId"), params.get("toolCall")
        if self.is_of_a_child(session_id):
            return self.children.question(str(session_id), params)
        return question_of(self._tools.known(call if isinstance(call, Mapping) else {}), params["options"])

    def is_of_a_child(self, session_id: object) -> bool:
        """Return whether a session is another one than the run's own."""
        return isinstance(session_id, str) and self.session_id not in (None, session_id)

    def final_message(self) -> str | None:
        """Return the last message that is not blank, cut to its limit."""
        return self._messages.final()

    def _own(self, update: Mapping[str, Any]) -> Iterator[Event]:
        kind = update.get("sessionUpdate")
        if not isinstance(kind, str):
            yield log("The agent sent an update without a kind.")
        elif kind in CHUNKS and (subagent := subagent_of(update)) is not None:
            yield from self.children.spoken(*subagent, update)
        elif kind in CHUNKS:
            yield from self._chunk(CHUNKS[kind], update)
        elif kind in ("tool_call", "tool_call_update") and is_startup(update):
            return
        elif kind in ("tool_call", "tool_call_update"):
            yield from self._tool(update)
        elif kind == "plan":
            yield {"type": "plan", "entries": _entries(update.get("entries"))}
        elif kind == SUBAGENT:
            yield from self.children.announced(update)
        elif kind == "usage_update":
            self.last_answer.count()
            yield from self._notices.usage(update)
        elif kind in COMPACTION:
            self.is_idle = False
            yield from self._compactions.take(update)
        else:
            yield from self._reported(update)
        yield from self.usage.update(update)

    def _reported(self, update: Mapping[str, Any]) -> Iterator[Event]:
        had_failed = self._notices.has_failed
        yield from self._notices.update(update)
        if self._notices.has_failed and not had_failed:
            yield from self.flush()
            self._text_after_failure = None

    def _chunk(self, kind: str, update: Mapping[str, Any]) -> Iterator[Event]:
        if (notice := notice_in(update)) is not None:
            yield log(notice)
            return
        for event in self._messages.chunk(kind, update):
            if event["type"] == "message":
                self.refused = None
                if self._notices.has_failed:
                    self._text_after_failure = (self._text_after_failure or "") + event["text"]
            yield event

    def _tool(self, call: Mapping[str, Any]) -> Iterator[Event]:
        for event in self._tools.take(call):
            yield from self._messages.interrupt()
            if self.refused is not None and event["toolCallId"] != self.refused.tool_call_id:
                self.refused = None
            if event["status"] != "started":
                yield from self.children.finished(event["toolCallId"])
            yield event

    def _noted(self, events: Iterator[Event]) -> Iterator[Event]:
        """Yield events and update the state of the turn."""
        for event in events:
            self.retrying = self._notices.error if "retrying" in event else None
            if event["type"] in ("tool", "emit") or (event["type"] in _TEXT_TYPES and event["text"].strip()):
                self.is_idle = False
            self.usage.follow(event)
            self.last_answer.take(event)
            yield event


def _entries(entries: Any) -> list[dict[str, Any]]:
    known = entries if isinstance(entries, list) else []
    return [
        {key: entry[key] for key in _ENTRY if isinstance(entry.get(key), str)}
        for entry in known
        if isinstance(entry, Mapping) and isinstance(entry.get("content"), str)
    ]


class LastAnswer:
    """Follow a turn of an agent that reports the size of each answer during the turn.

    Some models end a turn with an empty answer after a tool result. An empty answer has tokens; a missing one
    has none. If an agent reports no sizes during its turns, the answer is never considered missing.
    """

    def __init__(self) -> None:
        self._has_reported = False
        self._has_text = self._has_ended = self._is_counted = False

    @property
    def is_missing(self) -> bool:
        """Whether the last tool result was followed by neither text, another call nor a size."""
        silent = self._has_ended and not self._has_text and not self._is_counted
        return self._has_reported and silent

    def begin_turn(self) -> None:
        """Reset the state of the previous turn."""
        self._has_reported = False
        self._has_text = self._has_ended = self._is_counted = False

    def take(self, event: dict[str, Any]) -> None:
        """Process one event. Text counts from the start of the last call, since some calls end late."""
        match event["type"]:
            case "message" | "thought" if event["text"].strip():
                self._has_text = True
            case "tool" if event["status"] == "started":
                self._has_text = self._has_ended = self._is_counted = False
            case "tool":
                self._has_ended, self._is_counted = True, False

    def count(self) -> None:
        """Record that the agent reported the size of an answer."""
        self._has_reported = self._is_counted = True
