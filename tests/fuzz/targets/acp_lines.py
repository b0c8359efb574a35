"""What agents send: any line is a message or text, and any update becomes events that can be stored."""

from typing import Any

import orjson

from sidecar.subagents.journal.codec import encode
from sidecar.subagents.runners.acp.lines import MessageLines
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.question import known_options, question_of
from tests.fuzz.targets.seeding import in_pieces, written


def _update(**members: Any) -> bytes:
    params = {"sessionId": "s", "update": members}
    return orjson.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}) + b"\n"


_CALL = {"toolCallId": "1", "title": "Edit a.py", "kind": "edit", "status": "pending"}
_DIFF = {"type": "diff", "path": "/w/a.py", "oldText": "a\n", "newText": "b\n"}
_OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
_ASKED = {"sessionId": "s", "toolCall": {**_CALL, "rawInput": {"command": ["ls", "-l"]}}, "options": _OPTIONS}
_TEXT = {"type": "text", "text": "Looking … 😀"}

SEEDS = written(
    {
        "message": _update(sessionUpdate="agent_message_chunk", content=_TEXT, messageId="m"),
        "thought": _update(sessionUpdate="agent_thought_chunk", content=_TEXT),
        "tool": _update(
            sessionUpdate="tool_call", **_CALL, content=[_DIFF], locations=[{"path": "/w/a.py", "line": 3}]
        )
        + _update(
            sessionUpdate="tool_call_update", toolCallId="1", status="completed", rawOutput={"exit": 0}
        ),
        "plan": _update(
            sessionUpdate="plan", entries=[{"content": "Read", "priority": "high", "status": "pending"}]
        ),
        "usage": _update(
            sessionUpdate="usage_update", used=3, size=10, cost={"amount": 0.5, "currency": "USD"}
        ),
        "commands": _update(sessionUpdate="available_commands_update", availableCommands=[{"name": "a"}]),
        "permission": orjson.dumps({"id": 1, "method": "session/request_permission", "params": _ASKED})
        + b"\n",
        "reply": b'{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}\nno\n{"id":2,"error":"x"}\n',
        "claude": b'{"method":"_claude/sdkMessage",'
        b'"params":{"message":{"type":"system","subtype":"api_retry"}}}\n',
    }
)


def read(data: bytes) -> None:
    """Read lines whole and in pieces, and take every message as an update and as a permission request."""
    lines, cut = MessageLines(), MessageLines()
    whole = [*lines.feed(data), *lines.finish()]
    pieces = [message for piece in in_pieces(data) for message in cut.feed(piece)] + list(cut.finish())
    assert pieces == whole
    events = SessionEvents(takes_outputs=True)
    for message in whole:
        params = message.get("params") if isinstance(message, dict) else None
        if isinstance(params, dict):
            _take(params, events)


def _take(params: dict[str, Any], events: SessionEvents) -> None:
    if isinstance(update := params.get("update"), dict):
        encode(list(events.take(update, params.get("sessionId"))))
    if isinstance(call := params.get("toolCall"), dict):
        encode(list(events.tool(call, params.get("sessionId"))))
        question_of(call, known_options(params.get("options")))
    encode(list(events.claude_message(params.get("message"))))
