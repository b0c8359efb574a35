"""The `guide` rules: what the implementation guide of `list_tasks` says about a task, quirks included.

Every function follows one of the guide's, with its order of evaluation: what throws there drops the task.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from sidecar.api.stored.tasks import TaskStatus
from sidecar.history.stores.task_folders.guide import patterns
from sidecar.history.stores.task_folders.guide.messages import Message, MessageFile, member, read_api, read_ui
from sidecar.history.stores.task_folders.guide.status import status
from sidecar.javascript import values as js
from sidecar.javascript.dates import time_clip, time_of
from sidecar.javascript.sorting import sort_by
from sidecar.javascript.values import UNDEFINED, JavaScriptThrow

TITLE_UNITS = 100
"""Longest title, in UTF-16 code units."""


class Dated(Protocol):
    """What the order depends on."""

    id: str
    created_at: int | float | None


D = TypeVar("D", bound=Dated)


class GuideFields(msgspec.Struct, frozen=True, kw_only=True):
    """One task as the guide sees it: times in ms, NaN where JavaScript has an Invalid Date."""

    created_at: int | float
    last_activity: int | float
    status: TaskStatus
    title: str
    mode_current: str | None
    mode_name: str | None
    tokens_total: int | float
    cost: int | float
    message_count: int
    duration: int | float | None
    workspace_dir: str | None


def extract(task_id: str, ui: bytes, api: bytes, now_ms: int) -> GuideFields | None:
    """Read a task's two message files as the guide does; None where the guide drops the task.

    `now_ms` replaces missing dates and measures ages. Takes any bytes in linear time and never
    raises; `task_id` is not part of any value. A title may end in a lone surrogate, half of a cut pair.
    """
    try:
        return extract_from(read_ui(ui), read_api(api), now_ms)
    except JavaScriptThrow:
        return None


def sort(tasks: Sequence[D]) -> list[D]:
    """Order tasks as the guide lists them: names in byte order, then newest creation first, stable.

    A creation time of NaN compares equal to any, as in JavaScript; where it ends up follows V8's sort.
    """
    by_name = sorted(tasks, key=lambda task: task.id.encode("utf-8", "surrogatepass"))
    return sort_by(by_name, lambda task: math.nan if task.created_at is None else -task.created_at)


def extract_from(ui: MessageFile, api: MessageFile, now_ms: int) -> GuideFields:
    """Extract from files that were read; raise JavaScriptThrow where the guide drops the task."""
    created = _creation(ui, now_ms)
    last = _last_activity(ui, api, now_ms)
    contents = _Contents(api.messages) if api.parsed is not None else _texts(api.messages)
    title = _title(api.messages)
    mode = _mode(contents)
    tokens, cost = _usage(api.messages, contents)
    word = status(ui, api, now_ms - last)
    return GuideFields(
        created_at=created,
        last_activity=last,
        status=word,
        title=title,
        mode_current=mode[0] if mode else None,
        mode_name=mode[1] if mode else None,
        tokens_total=tokens,
        cost=cost,
        message_count=api.total,
        duration=last - created if word in ("completed", "failed") else None,
        workspace_dir=_workspace(contents),
    )


def _truthy(value: object) -> bool:
    """Convert as JavaScript's conditions do: empty arrays and objects are true."""
    return bool(value) or isinstance(value, list | dict)


def _creation(ui: MessageFile, now_ms: int) -> int | float:
    return time_of(ui.first_ts) if _truthy(ui.first_ts) else now_ms


def _last_activity(ui: MessageFile, api: MessageFile, now_ms: int) -> int | float:
    last = js.maximum(ui.last_ts, api.last_ts)
    return now_ms if last == 0 or math.isnan(last) else time_clip(last)


def _title(messages: list[Message]) -> str:
    first = next((message for message in messages if message.role == "user"), None)
    content: Any = first.content if first is not None else None
    if not _truthy(content):
        return "Untitled Task"
    if isinstance(content, list):
        content = _first_text(content)
    text = _matchable(content)
    task = patterns.find_task(text)
    return js.truncate(js.trim(text if task is None else task), TITLE_UNITS)


def _first_text(blocks: list[Any]) -> Any:
    """Evaluate `content[0]?.text || ""`."""
    text = member(blocks[0], "text") if blocks and blocks[0] is not None else UNDEFINED
    return text if _truthy(text) else ""


def _matchable(content: object) -> str:
    """Return a text to be searched; only a string has `match`."""
    if not isinstance(content, str):
        raise JavaScriptThrow("content.match is not a function")
    return content


def _texts(messages: list[Message]) -> list[str]:
    """Return the searchable text of each message that was skimmed."""
    return [
        content
        if isinstance(content := message.content, str)
        else " ".join([block.text or "" for block in content])
        if content
        else ""
        for message in messages
    ]


class _Contents(Sequence[str]):
    """The searchable text of each message, computed once and only when needed, as in the guide."""

    def __init__(self, messages: list[Message]) -> None:
        self._messages = messages
        self._texts: list[str | None] = [None] * len(messages)

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, index: Any) -> Any:
        """Return a message's text, empty for one without content; no pattern matches the empty text."""
        text = self._texts[index]
        if text is None:
            text = self._texts[index] = self._text(self._messages[index].content)
        return text

    def _text(self, content: Any) -> str:
        if not _truthy(content):
            return ""
        if isinstance(content, list):
            return js.join([member(block, "text") for block in content], " ")
        return _matchable(content)


def _mode(contents: Sequence[str]) -> tuple[str, str] | None:
    return next(filter(None, map(patterns.find_mode, reversed(contents))), None)


def _usage(messages: list[Message], contents: Sequence[str]) -> tuple[int | float, int | float]:
    total, cost = 0.0, 0.0
    asked = [contents[index] for index, message in enumerate(messages) if message.role == "user"]
    for text in asked:
        if patterns.USAGE_MARK in text and (usage := patterns.find_usage(text)):
            total += float(usage.tokens_in) + float(usage.tokens_out)
            cost += js.parse_float(usage.cost)
    return js.number(total), js.number(js.round_half_up(cost * 100) / 100)


def _workspace(contents: Sequence[str]) -> str | None:
    found = map(patterns.find_workspace, contents)
    return next((workspace for workspace in found if workspace is not None), None)
