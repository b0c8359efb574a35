"""Apply the two rule sets to a task: the accurate one, and the guide's."""

import logging
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from sidecar.api.stored.tasks import Mode, Outcome, Provenance, Rules, TaskInfo, TaskStatus, TokenUsage
from sidecar.history.stored.texts import encodable, one_line
from sidecar.history.stores.status_by_age import DAY_MS, FOR_EVER
from sidecar.history.stores.task_folders.ids import id_holds_until
from sidecar.history.stores.task_folders.structural import extract as structural
from sidecar.history.stores.task_folders.structural.extract import Extract
from sidecar.history.stores.task_folders.structural.titles import prompt_in_api
from sidecar.history.stores.task_folders.structural.view import Sourced, TaskSource, TaskView

if TYPE_CHECKING:
    from sidecar.history.stores.task_folders.guide.extract import GuideFields

_log = logging.getLogger(__name__)

_CUT_TITLE = 100
"""UTF-16 units after which the guide cuts a title."""
_OUTCOMES: dict[TaskStatus, Outcome] = {"completed": "completed", "failed": "failed"}


class Row(msgspec.Struct, frozen=True, gc=False):
    """A task under one rule set: `info` is None where the rules do not list it, as an empty folder.

    With `ages_from`, a time of last activity, the status follows from the age and changes with it. All
    else holds until before the time `until`, in ms: what an ID or a default date means depends on when
    one asks.
    """

    info: TaskInfo | None
    sources: Callable[[], structural.Sources] = dict
    """Finds the source of each field; most rows are never asked."""
    ages_from: int | float | None = None
    until: int = FOR_EVER

    @property
    def provenance(self) -> dict[str, Provenance]:
        """Return the source of each field's value."""
        return structural.provenance(self.sources(), self.info) if self.info is not None else {}


def read_row(source: TaskSource, rules: Rules) -> Row:
    """Read one task under `rules`. Pure; never raises."""
    try:
        return _read([source], rules)[0]
    except Exception:  # one task that breaks the rules must not break the list
        _log.exception("task %s cannot be read", source.task_id)
        return damaged(source, rules)


def read_rows(sources: Sequence[TaskSource], rules: Rules) -> list[Row]:
    """Read tasks as `read_row` does, in less time than one after the other."""
    try:
        return _read(sources, rules)
    except Exception:  # probably one of them is the cause, so read them one by one
        return [read_row(source, rules) for source in sources]


def damaged(source: TaskSource, rules: Rules) -> Row:
    """Return the row of a task that broke the rules: listed under `structural`, read again the next day."""
    info = structural.damaged_row(source) if rules == "structural" else None
    return Row(info, until=source.now + DAY_MS)


def _read(sources: Sequence[TaskSource], rules: Rules) -> list[Row]:
    if rules == "guide":
        return _guided(sources)
    return [_structured(*task) for task in zip(sources, structural.extract(sources), strict=True)]


def _structured(source: TaskSource, extracted: Extract) -> Row:
    if source.is_empty:
        return Row(None)
    until = min(extracted.until, id_holds_until(source.task_id, source.now))
    if structural.is_plain(extracted.view):
        from sidecar.history.stores.task_folders.shared import read_shared

        (read,) = read_shared([source])
        if read is not None:
            return _filled(source, extracted, read.fields, until)
    return Row(extracted.info, extracted.sources, extracted.ages_from, until)


def _guided(sources: Sequence[TaskSource]) -> list[Row]:
    from sidecar.history.stores.task_folders.shared import read_shared

    read = read_shared(sources)
    others = iter(structural.fields_not_in_guide([it.view for it in read if it is not None]))
    return [
        _guide_row(*next(others), source.now, it.fields) if it is not None else Row(None)
        for source, it in zip(sources, read, strict=True)
    ]


def _guide_row(others: TaskInfo, until: int, now: int, fields: "GuideFields") -> Row:
    """Replace the guide's fields in the structural row; they have no sources.

    A lone surrogate, as the guide's cut may leave, is kept: JSON writes it as an escape.
    """
    info = msgspec.structs.replace(
        others,
        title=fields.title,
        status=fields.status,
        created_at=fields.created_at,
        last_activity=fields.last_activity,
        duration=fields.duration,
        mode=Mode(current=fields.mode_current, name=fields.mode_name),
        token_usage=TokenUsage(total=fields.tokens_total, cost=fields.cost),
        message_count=fields.message_count,
        workspace_dir=fields.workspace_dir,
    )
    if now in (fields.created_at, fields.last_activity):  # a default date, or soon the same as one
        return Row(info, until=0)
    return Row(info, ages_from=_guide_ages(fields), until=until)


def _guide_ages(fields: "GuideFields") -> int | float | None:
    """Return the time from which the guide's status follows; None if words or an invalid date decide it."""
    settled = fields.status in ("completed", "failed") or math.isnan(fields.last_activity)
    return None if settled else fields.last_activity


def _filled(source: TaskSource, extracted: Extract, fields: "GuideFields", until: int) -> Row:
    """Return the row's data with the guide's values; its defaults, now and 0, stay unknown."""
    began = _unless_default(fields.created_at, source.now)
    active = _unless_default(fields.last_activity, source.now)
    is_settled = fields.status in ("completed", "failed")
    status = fields.status if is_settled or active is not None else "unknown"  # no time: no age
    info = msgspec.structs.replace(
        extracted.info,
        title=_whole_title(source, fields.title),
        status=status,
        outcome=_OUTCOMES.get(status, "unknown"),
        created_at=began,
        last_activity=active,
        duration=active - began if began is not None and active is not None else None,
        mode=Mode(current=_encodable(fields.mode_current), name=_encodable(fields.mode_name)),
        token_usage=_usage(fields),
        message_count=fields.message_count,
        workspace_dir=_encodable(fields.workspace_dir),
    )
    sourced = Sourced(None, "guide", "the messages carry no structure")
    names = ("title", "status", "outcome", "createdAt", "lastActivity", "mode", "tokenUsage", "workspaceDir")
    ages_from = _guide_ages(fields) if active is not None else None
    return Row(info, lambda: extracted.sources() | dict.fromkeys(names, sourced), ages_from, until)


def _encodable(text: str | None) -> str | None:
    return encodable(text) if text is not None else None


def _unless_default(value: int | float, now: int) -> int | None:
    """Return a date unless it is missing, or the default, which is the current time.

    The guide returns the default as the same object, which distinguishes it from an equal date.
    """
    return int(value) if value is not now and math.isfinite(value) else None


def _usage(fields: "GuideFields") -> TokenUsage | None:
    usage = TokenUsage(total=fields.tokens_total or None, cost=fields.cost or None)
    return usage if usage != TokenUsage() else None


def _whole_title(source: TaskSource, title: str) -> str:
    """Return the title without the guide's cut, from the prompt that it read."""
    line = one_line(title)
    if len(title) < _CUT_TITLE // 2 or not title.endswith("..."):
        return line
    whole = one_line(prompt_in_api(TaskView(source)))
    return whole if whole.startswith(line[:-3].rstrip("\ufffd")) else line
