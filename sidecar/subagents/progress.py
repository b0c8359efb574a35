"""What a run has done so far, folded from its events."""

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from sidecar.api.async_tasks import Progress

LAST_TEXT_CHARS = 200
SAID_KEPT = 4 * LAST_TEXT_CHARS
OPEN_TOOLS_KEPT = 100
"""Tools seen starting and not ending; beyond this the oldest are taken to have ended unsaid."""


@dataclass(frozen=True)
class RunProgress:
    """The fold's state: `progress` is what clients see; the rest is needed to go on."""

    progress: Progress
    message_id: object = None
    said: str = ""
    """The end of the current message as it was written: words may be cut between two pieces."""
    open_tools: tuple[tuple[str, str], ...] = ()
    """(call id or name, name) of each tool that has not ended, oldest first."""


def begin(at: int) -> RunProgress:
    """Return the progress of a run that begins at `at` (ms since the epoch)."""
    return RunProgress(Progress(last_activity_at=at))


def fold(state: RunProgress, event: dict[str, Any]) -> RunProgress:
    """Return `state` after one event (with its `ts`).

    A turn is one message of the agent; `usage` is cumulative, so its newest numbers stand; members of
    the wrong type are passed over, since a runner's program wrote them.
    """
    state = _with(state, last_activity_at=event["ts"])
    step = _STEPS.get(event["type"])
    return step(state, event) if step else state


def _message(state: RunProgress, event: dict[str, Any]) -> RunProgress:
    message_id, text = event.get("messageId"), str(event.get("text", ""))
    begun = state.progress.turns == 0 or message_id != state.message_id
    said = (("" if begun else state.said) + text)[-SAID_KEPT:]
    line = " ".join(said.split())[-LAST_TEXT_CHARS:].strip()
    turns = state.progress.turns + begun
    return replace(_with(state, turns=turns, last_text=line or None), message_id=message_id, said=said)


def _tool(state: RunProgress, event: dict[str, Any]) -> RunProgress:
    name = str(event.get("name", ""))
    key = str(event.get("toolCallId", name))
    is_open = any(key == other for other, _ in state.open_tools)
    if event.get("status") != "started":
        return _set_open(state, _without_newest(state.open_tools, key))
    if is_open and "toolCallId" in event:
        return state
    started = _with(state, tool_calls=state.progress.tool_calls + 1)
    return _set_open(started, (*state.open_tools, (key, name))[-OPEN_TOOLS_KEPT:])


def _state(state: RunProgress, event: dict[str, Any]) -> RunProgress:
    """Let no tool outlive its run, whether or not the run said that it ended."""
    return state if event.get("status") in ("queued", "running") else _set_open(state, ())


def _usage(state: RunProgress, event: dict[str, Any]) -> RunProgress:
    changes = {
        field: event[member]
        for member, field, kind in _USAGE
        if isinstance(event.get(member), kind) and not isinstance(event[member], bool)
    }
    return _with(state, **changes)


def _without_newest(tools: tuple[tuple[str, str], ...], key: str) -> tuple[tuple[str, str], ...]:
    for index in range(len(tools) - 1, -1, -1):
        if tools[index][0] == key:
            return tools[:index] + tools[index + 1 :]
    return tools


def _set_open(state: RunProgress, tools: tuple[tuple[str, str], ...]) -> RunProgress:
    return replace(_with(state, current_tool=tools[-1][1] if tools else None), open_tools=tools)


def _with(state: RunProgress, **changes: Any) -> RunProgress:
    return replace(state, progress=msgspec.structs.replace(state.progress, **changes))


_USAGE = (
    ("inputTokens", "input_tokens", int),
    ("outputTokens", "output_tokens", int),
    ("cost", "cost", (int, float)),
)
_STEPS = {"message": _message, "tool": _tool, "usage": _usage, "state": _state}
