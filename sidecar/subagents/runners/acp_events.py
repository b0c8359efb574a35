"""What an agent tells through its session, as the events of a run: a fold over updates, without I/O.

Updates are taken as they come, unchecked: an agent of a newer protocol must not end a run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import uuid4

import orjson

from sidecar.subagents.permission_policy import Question
from sidecar.subagents.runners.acp_question import question_of
from sidecar.subagents.runners.acp_tools import ToolCalls
from sidecar.subagents.runners.emitted import EmittedVars
from sidecar.subagents.runners.output_blocks import OutputBlocks
from sidecar.subagents.runners.text import FinalText, pieces

Event = dict[str, Any]

_CHUNKS = {"agent_message_chunk": "message", "agent_thought_chunk": "thought"}
_ENTRY = ("content", "priority", "status")


def new_message_id() -> str:
    """Return a fresh id: random, since a task that is resumed writes into the same journal."""
    return uuid4().hex[:12]


class SessionEvents:
    """The events of one run's sessions, its last message and what it emitted.

    With `takes_outputs` blocks of outputs in messages become `emit` events, and are no part of a message.
    """

    def __init__(self, new_id: Callable[[], str] = new_message_id, *, takes_outputs: bool = False) -> None:
        self.emitted = EmittedVars()
        self.is_muted = False
        """Whether updates are passed over: those that repeat what an earlier run of the session did."""
        self.cost_before = 0.0
        """What the session had cost (USD) before this run, which the agent counts too."""
        self._blocks = OutputBlocks() if takes_outputs else None
        self._new_id = new_id
        self._kind = ""
        self._their_id: object = None
        self._our_id = ""
        self._text = FinalText()
        self._last_message: str | None = None
        self._tools = ToolCalls()
        self.refused: Question | None = None
        """The question after whose refusal the agent has neither said nor begun anything yet."""
        self._usage: Event = {}

    def take(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the events of one `session/update`; none for what no display needs, such as modes."""
        kind = update.get("sessionUpdate")
        if self.is_muted:
            return
        if kind in _CHUNKS:
            yield from self._chunk(_CHUNKS[kind], update)
        elif kind in ("tool_call", "tool_call_update"):
            yield from self.tool(update)
        elif kind == "plan":
            yield {"type": "plan", "entries": _entries(update.get("entries"))}
        elif kind == "usage_update":
            yield from self.usage(self._of_this_run(_context(update)))

    def tool(self, call: Mapping[str, Any]) -> Iterator[Event]:
        """Yield the events of a tool call or of what changed in one; also those a question shows first."""
        for event in self._tools.take(call):
            yield from self._end_nameless_message()
            if self.refused is not None and event["toolCallId"] != self.refused.tool_call_id:
                self.refused = None
            yield event

    def refuse(self, question: Question) -> None:
        """Note that a question was answered with no."""
        self.refused = question
        self._tools.refuse(question.tool_call_id)

    def end_turn(self, tokens: Mapping[str, int]) -> Iterator[Event]:
        """Yield what the end of a turn tells: the tokens it took, and the end of calls that were refused."""
        yield from self.flush()
        yield from self._tools.finish()
        yield from self.usage({name: self._usage.get(name, 0) + taken for name, taken in tokens.items()})

    def flush(self) -> Iterator[Event]:
        """Yield what was held back of the message, which is over."""
        yield from self._begin("", None)

    def question(self, params: Mapping[str, Any]) -> Question:
        """Return what a permission request asks."""
        call = params.get("toolCall")
        return question_of(self._tools.known(call if isinstance(call, Mapping) else {}), params["options"])

    def usage(self, members: Mapping[str, Any]) -> Iterator[Event]:
        """Yield cumulative usage, if it is news."""
        news = {**self._usage, **members}
        if news != self._usage:
            self._usage = news
            yield {"type": "usage", **news}

    def _of_this_run(self, context: Event) -> Event:
        """Return usage without the cost of former runs; an agent that tells less does not count them."""
        if "cost" not in context or not self.cost_before:
            return context
        if context["cost"] < self.cost_before:
            self.cost_before = 0.0
        return {**context, "cost": round(context["cost"] - self.cost_before, 9)}

    def final_message(self) -> str | None:
        """Return the last message that is not blank, bounded."""
        if self._kind != "message" or self._text.is_blank():
            return self._last_message
        final = self._text.final()
        return final if self._blocks is None else final.strip("\n")  # what led over to a block

    def _chunk(self, kind: str, update: Mapping[str, Any]) -> Iterator[Event]:
        text = _text(update.get("content"))
        if not text:
            return  # some agents open a message with an empty piece
        if kind == "message":
            self.refused = None
        their_id = update.get("messageId")
        if kind != self._kind or their_id != self._their_id:
            yield from self._begin(kind, their_id)
        if kind == "message" and self._blocks is not None:
            yield from self._said(self._blocks.feed(text))
        else:
            yield from self._text_events(text)

    def _begin(self, kind: str, their_id: object) -> Iterator[Event]:
        """Yield what was held back of one message, and begin another."""
        if self._kind == "message" and self._blocks is not None:
            yield from self._said(self._blocks.finish())
        self._last_message = self.final_message()
        self._kind, self._their_id = kind, their_id
        self._our_id, self._text = self._new_id(), FinalText()

    def _said(self, parts: Iterable[str | Event]) -> Iterator[Event]:
        for part in parts:
            if isinstance(part, str):
                yield from self._text_events(part)
                continue
            for name, value in part.items():
                yield {"type": "emit", "name": name, "value": value}
                yield from self.emitted.keep(name, value, len(orjson.dumps(value)))

    def _text_events(self, text: str) -> Iterator[Event]:
        for piece in pieces(text):
            self._text.add(piece)
            yield {"type": self._kind, "messageId": self._our_id, "text": piece}

    def _end_nameless_message(self) -> Iterator[Event]:
        """What is said after a tool call is another message, unless the agent says it is not."""
        if self._their_id is None:
            yield from self._begin("", None)


def joined(events: Iterable[Event]) -> Iterator[Event]:
    """Join pieces of one message that came together: whoever floods words must not flood the journal."""
    held: Event | None = None
    for event in events:
        if held is not None and _continues(held, event):
            held = {**held, "text": held["text"] + event["text"]}
            continue
        if held is not None:
            yield held
        held = event
    if held is not None:
        yield held


def _continues(held: Event, event: Event) -> bool:
    same = held["type"] == event["type"] and held.get("messageId") == event.get("messageId")
    return same and event["type"] in ("message", "thought") and len(held["text"]) < _JOINED_CHARS


_JOINED_CHARS = 16 * 1024


def _text(content: Any) -> str:
    if not isinstance(content, Mapping):
        return ""
    if content.get("type") == "text":
        text = content.get("text")
        return text if isinstance(text, str) else ""
    uri = content.get("uri")
    return f"[{content.get('type', 'content')}{f': {uri}' if isinstance(uri, str) else ''}]"


def _entries(entries: Any) -> list[dict[str, Any]]:
    known = entries if isinstance(entries, list) else []
    return [
        {key: entry[key] for key in _ENTRY if isinstance(entry.get(key), str)}
        for entry in known
        if isinstance(entry, Mapping) and isinstance(entry.get("content"), str)
    ]


def _context(update: Mapping[str, Any]) -> Event:
    """Return the fill of the context in tokens and, in the one currency that usage has, the cost."""
    members = {"contextUsed": update.get("used"), "contextSize": update.get("size")}
    cost = update.get("cost")
    if isinstance(cost, Mapping) and cost.get("currency") == "USD":
        members["cost"] = cost.get("amount")
    return {
        key: value
        for key, value in members.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    }
