"""How a task's last request ended: answered, cancelled, failed, repeated, or still under way."""

from typing import Final

from sidecar.history.stored.parsing import text_of
from sidecar.history.stores.status_by_age import ACTIVE_MS
from sidecar.history.stores.task_folders.records import UiMessage, Usage
from sidecar.history.stores.task_folders.structural.times import last_activity
from sidecar.history.stores.task_folders.structural.view import TaskView

_NS_PER_MS: Final = 1_000_000
_REQUEST: Final = "api_req_started"
_USER_SPOKE: Final = frozenset({"user_feedback", "user_feedback_diff"})
_RETRIES: Final = frozenset({"api_req_retry_delayed", "api_req_retried", "error_retry"})
_TROUBLE: Final = _RETRIES | {"api_req_failed", "error", "reasoning"}
"""Kinds of messages that a failed request without an answer leaves."""
_PACING: Final = "Rate limiting for "
"""Roo shows a pause that the user set as a delayed retry: no request failed before it."""


def last_request(view: TaskView) -> tuple[Usage | None, frozenset[str | None]]:
    """Return the last request, unless the user spoke after it, and the kinds since its last try."""
    kinds: set[str | None] = set()
    retried = False
    for index in range(len(view.kinds) - 1, -1, -1):
        kind = view.kinds[index]
        if kind == _REQUEST:
            return view.usages.get(index), frozenset(kinds)
        if kind in _USER_SPOKE:
            return None, frozenset()
        if not retried:
            kinds.add(kind)
        retried = retried or kind in _RETRIES
    return None, frozenset()


def is_unanswered(kinds: frozenset[str | None]) -> bool:
    """Return whether a failed request was not answered after its last retry."""
    return _RETRIES.isdisjoint(kinds) or kinds <= _TROUBLE


def repeats(last: UiMessage) -> bool:
    """Return whether the product was about to repeat a request that failed."""
    return last.kind in _RETRIES and not (text_of(last.text) or "").startswith(_PACING)


def paces(last: UiMessage) -> bool:
    """Return whether the product waited before a request, as the user's rate limit asks."""
    return last.kind in _RETRIES and not repeats(last)


def under_way_until(view: TaskView) -> int:
    """Return the time, in ms, from which a request without an answer counts as interrupted.

    That is a day after the last activity, or 0 if the task was opened again without an answer.
    """
    if view.opened:
        return 0
    found = last_activity(view)
    if found is not None:
        return int(found.value) + ACTIVE_MS
    stamp = view.source.files.ui.stamp
    return stamp[0] // _NS_PER_MS + ACTIVE_MS if stamp is not None else 0
