"""Log the child sessions of an agent, such as those of its subagents. A fold without I/O.

Child sessions do not count toward the run's messages, plan, cost or turns. The agent announces a child with
`subagent_update`, whose `status`, or `state.state` (claude), is `running` until it ends.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidecar.subagents.permissions.question import Question
from sidecar.subagents.runners.acp.updates.notices import Event, log
from sidecar.subagents.runners.acp.updates.question import question_of
from sidecar.subagents.runners.acp.updates.tools import ToolCalls

SUBAGENT = "subagent_update"
_LINE_CHARS = 1_000
"""Longer lines of a child's text are logged in parts."""


@dataclass
class _Child:
    title: str
    line: str = ""
    tools: ToolCalls = field(default_factory=ToolCalls)


class Children:
    """The child sessions of one run."""

    def __init__(self) -> None:
        self.idle: Callable[[], object] = lambda: None
        """Called when the last running child ends."""
        self._known: dict[str, _Child] = {}
        self._running: set[str] = set()

    @property
    def are_running(self) -> bool:
        """Whether any child is running."""
        return bool(self._running)

    def announced(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Process a `subagent_update` and yield a `log` event for a child's start, change or end."""
        session_id, status = update.get("sessionId"), _status(update)
        if not isinstance(session_id, str):
            return
        child = self._child(session_id)
        title = update.get("title")
        child.title = title if isinstance(title, str) and title else child.title
        if status is None:
            return
        yield from self._flush(child)
        yield log(f"subagent {child.title}: {status}")
        if status == "running":
            self._running.add(session_id)
        else:
            self._end(session_id)

    def take(self, session_id: str, update: Mapping[str, Any]) -> Iterator[Event]:
        """Process an update of a child session and yield its `log` events."""
        child, kind = self._child(session_id), update.get("sessionUpdate")
        if kind == SUBAGENT:
            yield from self.announced(update)
        elif kind == "agent_message_chunk":
            yield from self._text(child, update.get("content"))
        elif kind in ("tool_call", "tool_call_update"):
            yield from self._flush(child)
            for event in child.tools.take(update):
                if kind == "tool_call" or event["status"] != "started":
                    yield log(f"subagent {child.title}: {event['name']} {event['status']}")

    def spoken(self, call_id: str, title: str, update: Mapping[str, Any]) -> Iterator[Event]:
        """Process a chunk of a subagent that shares the run's session and works for one of its tool calls."""
        self._child(call_id).title = title
        yield from self.take(call_id, update)

    def finished(self, call_id: str) -> Iterator[Event]:
        """End the last line of the subagent that worked for a tool call, if there was one."""
        if call_id in self._known:
            yield from self._flush(self._known[call_id])

    def question(self, session_id: str, params: Mapping[str, Any]) -> Question:
        """Return the question for a permission request of a child."""
        child, call = self._child(session_id), params.get("toolCall")
        return question_of(child.tools.known(call if isinstance(call, Mapping) else {}), params["options"])

    def clear(self) -> None:
        """Consider all children ended, so that nothing waits for them."""
        self._running.clear()
        self.idle()

    def _child(self, session_id: str) -> _Child:
        return self._known.setdefault(session_id, _Child(session_id[:8]))

    def _end(self, session_id: str) -> None:
        self._running.discard(session_id)
        if not self._running:
            self.idle()

    def _text(self, child: _Child, content: Any) -> Iterator[Event]:
        text = content.get("text") if isinstance(content, Mapping) else None
        child.line += text if isinstance(text, str) else ""
        *whole, child.line = child.line.split("\n")
        for line in whole:
            yield from _log_line(child.title, line)
        if len(child.line) > _LINE_CHARS:
            yield from self._flush(child)

    def _flush(self, child: _Child) -> Iterator[Event]:
        line, child.line = child.line, ""
        yield from _log_line(child.title, line)


def subagent_of(update: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the tool call and the name of the subagent that a chunk of qwen comes from; None for others."""
    meta = update.get("_meta")
    if not isinstance(meta, Mapping) or not isinstance(meta.get("parentToolCallId"), str):
        return None
    name = meta.get("subagentType")
    return meta["parentToolCallId"], name if isinstance(name, str) and name else "subagent"


def _log_line(title: str, line: str) -> Iterator[Event]:
    if line.strip():
        yield log(f"subagent {title}: {line}")


def _status(update: Mapping[str, Any]) -> str | None:
    state = update.get("state")
    found = update.get("status") or (state.get("state") if isinstance(state, Mapping) else state)
    return found if isinstance(found, str) else None
