"""What a run has done so far, folded from its events."""

from typing import Any, NamedTuple

import msgspec

from sidecar.api.async_tasks import Progress, Retrying

LAST_TEXT_CHARS = 200
PIECE_CHARS = 4 * LAST_TEXT_CHARS
"""How much of one piece of text is looked at: enough for its last line, unless it is mostly white space."""
OPEN_TOOLS_KEPT = 100
"""Tools seen starting and not ending; beyond this the oldest are taken to have ended unsaid."""


class RunProgress(NamedTuple):
    """The fold's state: `progress` is what clients see; the rest is needed to go on."""

    progress: Progress
    message_id: object = None
    said: str = ""
    """The end of the current message, each run of white space as one space, the last one too."""
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
    retrying = _retrying(event)
    state = _with(state, last_activity_at=event["ts"], retrying=retrying)
    step = _STEPS.get(event["type"])
    return step(state, event) if step else state


def _retrying(event: dict[str, Any]) -> Retrying | None:
    try:
        return msgspec.convert(event["retrying"], Retrying) if "retrying" in event else None
    except msgspec.ValidationError:
        return None


def _message(state: RunProgress, event: dict[str, Any]) -> RunProgress:
    if event.get("role") == "user":
        return state
    message_id, text = event.get("messageId"), str(event.get("text", ""))
    begun = state.progress.turns == 0 or message_id != state.message_id
    said = _joined("" if begun else state.said, text[-PIECE_CHARS:])
    turns, line = state.progress.turns + begun, said.rstrip()[-LAST_TEXT_CHARS:].strip()
    return _with(state, turns=turns, last_text=line or None)._replace(message_id=message_id, said=said)


def _joined(said: str, text: str) -> str:
    """Append `text`; a word may be cut between two pieces, and this is done thousands of times a second."""
    before = " " if text[:1].isspace() and said and not said.endswith(" ") else ""
    words = " ".join(text.split())
    after = " " if words and text[-1].isspace() else ""
    return f"{said}{before}{words}{after}"[-LAST_TEXT_CHARS - len(" ") :]


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
    return _with(state, current_tool=tools[-1][1] if tools else None)._replace(open_tools=tools)


def _with(state: RunProgress, **changes: Any) -> RunProgress:
    return state._replace(progress=msgspec.structs.replace(state.progress, **changes))


_USAGE = (
    ("inputTokens", "input_tokens", int),
    ("outputTokens", "output_tokens", int),
    ("cacheReads", "cache_reads", int),
    ("cacheWrites", "cache_writes", int),
    ("cost", "cost", (int, float)),
)
_STEPS = {"message": _message, "tool": _tool, "usage": _usage, "state": _state}
