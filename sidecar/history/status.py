"""How a task stands, told by its last relevant message instead of by words anywhere in it."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from sidecar.api.tasks import Outcome, TaskStatus
from sidecar.history.parsing import text_of, value_of
from sidecar.history.reading import UI_FILE
from sidecar.history.records import UiMessage, Usage
from sidecar.history.view import TaskView, sane_ms

_PASSED_OVER: Final = frozenset(
    {"checkpoint_saved", "checkpoint_created", "task_progress", "reasoning", "command_output"}
)
_COMPLETION_SAYS: Final = frozenset({"completion_result", "plan_completion_result"})
_REOPENING: Final = frozenset({"user_feedback", "user_feedback_diff", "api_req_started"})
_FAILED_ASKS: Final = frozenset({"api_req_failed", "mistake_limit_reached"})
_FAILED_REASONS: Final = frozenset({"streaming_failed", "retries_exhausted"})
_STREAMED: Final = _PASSED_OVER | {"text"}
"""What a request leaves behind while it streams."""
_BY_ENDING: Final[dict[Outcome, TaskStatus]] = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "abandoned",
}
_RECORDED: Final[dict[str, Outcome]] = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "streaming": "streaming",
}


class Ending(msgspec.Struct, frozen=True, gc=False):
    """The finer outcome, where it was seen, and a status that holds at any age (None: the age decides)."""

    outcome: Outcome
    status: TaskStatus | None
    source: str
    note: str | None = None


def ending(view: TaskView) -> Ending:
    """Tell how a task ended or what it waits for."""
    return next(_endings(view), Ending("unknown", None, "age"))


def _endings(view: TaskView) -> Iterator[Ending]:
    entry = view.entry
    if entry is not None and entry.product == "sidecar" and (recorded := _RECORDED.get(str(entry.outcome))):
        yield Ending(recorded, _BY_ENDING.get(recorded), view.entry_source)
    last, request = _last_relevant(view), _open_request(view)
    yield from _completed(view, last)
    yield from _failed(last, request)
    yield from _recorded(view)
    yield from _unfinished(last, request)


def _completed(view: TaskView, last: UiMessage | None) -> Iterator[Ending]:
    if last is not None and not last.partial:
        if last.type == "ask" and last.ask == "completion_result":
            yield Ending("completed", "completed", UI_FILE, "ask completion_result")
        if _asked_tool(last) == "finishTask":
            yield Ending("completed", "completed", UI_FILE, _hand_back_note(view))
    if _completion_said(view):
        yield Ending("completed", "completed", UI_FILE, "say completion_result")
    if view.entry is not None and view.entry.status == "completed" and not _continued(view):
        yield Ending("completed", "completed", view.entry_source, "status completed")


def _failed(last: UiMessage | None, request: Usage | None) -> Iterator[Ending]:
    if last is not None and last.type == "ask" and last.kind in _FAILED_ASKS:
        yield Ending("failed", "failed", UI_FILE, f"ask {last.kind}")
    reason = str(request.cancel_reason) if request is not None else ""
    if reason in _FAILED_REASONS:
        yield Ending("failed", "failed", UI_FILE, f"cancelReason {reason}")


def _recorded(view: TaskView) -> Iterator[Ending]:
    """What the list entry says of a delegation, unless the messages went on."""
    status = view.entry.status if view.entry is not None else None
    if status == "delegated":
        yield Ending("delegated", None, view.entry_source, "status delegated")
    if status == "interrupted":
        yield Ending("interrupted", None, view.entry_source, "status interrupted")


def _unfinished(last: UiMessage | None, request: Usage | None) -> Iterator[Ending]:
    if last is None:
        return
    if request is not None and request.cancel_reason == "user_cancelled":
        yield Ending("cancelled", None, UI_FILE, "cancelReason user_cancelled")
    if last.partial is True:
        yield Ending("streaming", None, UI_FILE, "the last message is partial")
    if last.type == "ask":
        tool = _asked_tool(last)
        if tool == "newTask":
            yield Ending("delegated", None, UI_FILE, "ask tool newTask")
        yield Ending("waiting", None, UI_FILE, f"ask {last.kind}")
    if request is not None and _has_no_numbers(request):
        yield Ending("streaming", None, UI_FILE, "the last request has no figures yet")


def _last_relevant(view: TaskView) -> UiMessage | None:
    for index in range(len(view.kinds) - 1, -1, -1):
        if view.kinds[index] is not None and view.kinds[index] not in _PASSED_OVER:
            return view.ui_messages[index]
    return None


def _completion_said(view: TaskView) -> bool:
    """Tell whether a completion was announced and nobody answered it."""
    for index in range(len(view.kinds) - 1, -1, -1):
        if view.kinds[index] in _REOPENING:
            return False
        message = view.ui_messages[index]
        if view.kinds[index] in _COMPLETION_SAYS and message.type != "ask":
            return not message.partial
    return False


def _open_request(view: TaskView) -> Usage | None:
    """The last request, if nothing but what it streamed follows it."""
    for index in range(len(view.kinds) - 1, -1, -1):
        kind = view.kinds[index]
        if kind == "api_req_started":
            return next((usage for place, usage in reversed(view.usages) if place == index), None)
        if kind not in _STREAMED:
            return None
    return None


def _continued(view: TaskView) -> bool:
    """Tell whether the messages are newer than the list entry that calls the task completed."""
    listed = sane_ms(view.entry.ts) if view.entry is not None else None
    last = _last_relevant(view)
    newest = sane_ms(last.ts) if last is not None else None
    return listed is not None and newest is not None and newest > listed


def _asked_tool(message: UiMessage) -> Any:
    if message.type != "ask" or message.ask != "tool":
        return None
    text = text_of(message.text)
    call = value_of(text) if text else None
    return call.get("tool") if isinstance(call, dict) else None


def _hand_back_note(view: TaskView) -> str:
    """A finished subtask that its list entry still calls open has not reached its parent."""
    status = view.entry.status if view.entry is not None else None
    if status in ("active", "interrupted"):
        return f"ask tool finishTask; not handed back: the list entry says {status}"
    return "ask tool finishTask"


def _has_no_numbers(usage: Usage) -> bool:
    return usage.tokens_in is None and usage.tokens_out is None and usage.cost is None
