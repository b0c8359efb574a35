"""The status of a task, judged by its last relevant message instead of by words anywhere in it."""

from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Outcome, TaskStatus
from sidecar.history.stored.parsing import text_of, value_of
from sidecar.history.stores.status_by_age import FOR_EVER
from sidecar.history.stores.task_folders.files import UI_FILE
from sidecar.history.stores.task_folders.records import UiMessage, Usage
from sidecar.history.stores.task_folders.structural.last_request import (
    is_unanswered,
    last_request,
    paces,
    repeats,
    under_way_until,
)
from sidecar.history.stores.task_folders.structural.view import TaskView, sane_ms

_SKIPPED: Final = frozenset(
    {"checkpoint_saved", "checkpoint_created", "task_progress", "reasoning", "command_output"}
)
_COMPLETION_SAYS: Final = frozenset({"completion_result", "plan_completion_result"})
_REOPENING: Final = frozenset({"user_feedback", "user_feedback_diff", "api_req_started"})
_FAILED_ASKS: Final = frozenset({"api_req_failed", "mistake_limit_reached"})
_FAILED_REASONS: Final = frozenset({"streaming_failed", "retries_exhausted"})
_ROUTINE_OR_TEXT: Final = _SKIPPED | {"text"}
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
    """The finer outcome, where it was seen, and a status that holds at any age (None: the age decides).

    The outcome holds before the time `until`, in ms.
    """

    outcome: Outcome
    status: TaskStatus | None
    source: str
    note: str | None = None
    until: int = FOR_EVER


def ending(view: TaskView) -> Ending:
    """Return how a task ended or what it waits for."""
    last = _last_relevant(view)
    return (
        _recorded_by_us(view)
        or _completed(view, last)
        or _failed(view, last)
        or _delegated(view)
        or _unfinished(view, last)
        or Ending("unknown", None, "age")
    )


def _recorded_by_us(view: TaskView) -> Ending | None:
    entry = view.entry
    if entry is None or entry.product != "sidecar" or (recorded := _RECORDED.get(str(entry.outcome))) is None:
        return None
    if recorded == "streaming":
        return _under_way(view, "outcome streaming", view.entry_source)
    return Ending(recorded, _BY_ENDING.get(recorded), view.entry_source)


def _completed(view: TaskView, last: UiMessage | None) -> Ending | None:
    if last is not None and not last.partial:
        if last.type == "ask" and last.ask == "completion_result":
            return Ending("completed", "completed", UI_FILE, "ask completion_result")
        if _asked_tool(last) == "finishTask":
            return Ending("completed", "completed", UI_FILE, _hand_back_note(view))
    if _has_completion(view):
        return Ending("completed", "completed", UI_FILE, "say completion_result")
    if view.entry is not None and view.entry.status == "completed" and not _continued(view):
        return Ending("completed", "completed", view.entry_source, "status completed")
    return None


def _failed(view: TaskView, last: UiMessage | None) -> Ending | None:
    if last is None:
        return None
    if last.type == "ask" and last.kind in _FAILED_ASKS:
        return Ending("failed", "failed", UI_FILE, f"ask {last.kind}")
    request, since = last_request(view)
    reason = str(request.cancel_reason) if request is not None else ""
    if reason in _FAILED_REASONS and is_unanswered(since):
        return Ending("failed", "failed", UI_FILE, f"cancelReason {reason}")
    if not repeats(last):
        return None
    until = under_way_until(view)
    if view.now < until:
        return Ending("streaming", None, UI_FILE, f"{last.kind}: a failed request is repeated", until)
    return Ending("failed", "failed", UI_FILE, f"{last.kind}, and no answer after it")


def _delegated(view: TaskView) -> Ending | None:
    """Return the ending that the list entry records for a delegation, unless messages followed."""
    status = view.entry.status if view.entry is not None else None
    if status == "delegated":
        return Ending("delegated", None, view.entry_source, "status delegated")
    if status == "interrupted":
        return Ending("interrupted", None, view.entry_source, "status interrupted")
    return None


def _unfinished(view: TaskView, last: UiMessage | None) -> Ending | None:
    if last is None:
        return None
    request, _ = last_request(view)
    if request is not None and request.cancel_reason == "user_cancelled":
        return Ending("cancelled", None, UI_FILE, "cancelReason user_cancelled")
    if last.partial is True or paces(last):
        return _under_way(view, "the last message is partial", UI_FILE)
    if last.type == "ask":
        if _asked_tool(last) == "newTask":
            return Ending("delegated", None, UI_FILE, "ask tool newTask")
        return Ending("waiting", None, UI_FILE, f"ask {last.kind}")
    if (started := _open_request(view)) is not None and _has_no_numbers(started):
        return _under_way(view, "the last request has no figures yet", UI_FILE)
    return None


def _under_way(view: TaskView, note: str, source: str) -> Ending:
    """Return the ending of an answer that was being written: one that stopped long ago was interrupted."""
    until = under_way_until(view)
    if view.now < until:
        return Ending("streaming", None, source, note, until)
    return Ending("interrupted", None, source, f"{note}, and nothing came after it")


def _last_relevant(view: TaskView) -> UiMessage | None:
    for index in range(len(view.kinds) - 1, -1, -1):
        if view.kinds[index] is not None and view.kinds[index] not in _SKIPPED:
            return view.ui_messages[index]
    return None


def _has_completion(view: TaskView) -> bool:
    """Return whether a completion was announced and the user did not answer it."""
    for index in range(len(view.kinds) - 1, -1, -1):
        if view.kinds[index] in _REOPENING:
            return False
        message = view.ui_messages[index]
        if view.kinds[index] in _COMPLETION_SAYS and message.type != "ask":
            return not message.partial
    return False


def _open_request(view: TaskView) -> Usage | None:
    """Return the last request, if only text and routine messages follow it."""
    for index in range(len(view.kinds) - 1, -1, -1):
        kind = view.kinds[index]
        if kind == "api_req_started":
            return view.usages.get(index)
        if kind not in _ROUTINE_OR_TEXT:
            return None
    return None


def _continued(view: TaskView) -> bool:
    """Return whether the messages are newer than the list entry that marks the task as completed."""
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
    """Return the note on a finished subtask, which says if its list entry still marks it as open."""
    status = view.entry.status if view.entry is not None else None
    if status in ("active", "interrupted"):
        return f"ask tool finishTask; not handed back: the list entry says {status}"
    return "ask tool finishTask"


def _has_no_numbers(usage: Usage) -> bool:
    return usage.tokens_in is None and usage.tokens_out is None and usage.cost is None
