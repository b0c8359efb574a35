"""Turn what a store knows of one session into a task and its row. Pure."""

from typing import Final, Literal, NamedTuple

import msgspec

from sidecar.api.stored.tasks import (
    Mode,
    Outcome,
    Problem,
    Product,
    Provenance,
    TaskInfo,
    TaskStatus,
    TokenUsage,
)
from sidecar.history.stored.texts import encodable, one_line
from sidecar.history.stores.contract import OpenedTask
from sidecar.history.stores.index_row import SAVING, IndexRow, make_row
from sidecar.history.stores.status_by_age import FOR_EVER, by_age

NO_TEXT: Final = "(no text)"
"""The title of a session whose prompt has no words."""

End = Literal["answered", "cancelled", "failed", "open", "waiting", "killed"]
"""How a session ends.

`answered`: the agent waits for the next prompt. `cancelled`: by the user. `failed`: the last answer is an
error. `open`: a turn without its end, which a running agent may still bring. `waiting`: an open question to
the user. `killed`: a turn without its end, whose process is gone.
"""


class _Meaning(NamedTuple):
    """The status that an end stands for, None if the age decides, and the outcome."""

    status: TaskStatus | None
    outcome: Outcome


_MEANINGS: Final[dict[End, _Meaning]] = {
    "answered": _Meaning("completed", "completed"),
    "cancelled": _Meaning("abandoned", "cancelled"),
    "failed": _Meaning("failed", "failed"),
    "open": _Meaning(None, "interrupted"),
    "waiting": _Meaning(None, "waiting"),
    "killed": _Meaning("abandoned", "interrupted"),
}


class Session(msgspec.Struct, kw_only=True):
    """What a store knows of one session; times in ms, None is unknown.

    `parent_id` is set for a child session, `is_child` even if its parent is not known. `sources` names the
    file or record of fields by their name on the wire; `source` is that of all others. `is_half_written` is
    True if a file was read in the middle of a save.
    """

    id: str
    product: Product
    end: End
    source: str
    title: str | None = None
    workspace_dir: str | None = None
    model: str | None = None
    mode: str | None = None
    created_at: int | None = None
    last_activity: int | None = None
    message_count: int = 0
    usage: TokenUsage | None = None
    size_bytes: int = 0
    is_child: bool = False
    parent_id: str | None = None
    root_id: str | None = None
    kept: bool = False
    is_half_written: bool = False
    problems: list[Problem] = []
    sources: dict[str, str] = {}

    @property
    def ages_from(self) -> int | None:
        """Return the time from which the status follows with age; None if the status is settled."""
        return self.last_activity if _MEANINGS[self.end].status is None else None


def info_of_session(session: Session, root: str, now: int) -> TaskInfo:
    """Describe a session as a task of a root."""
    status, outcome = _MEANINGS[session.end]
    created, last = session.created_at, session.last_activity
    return TaskInfo(
        id=session.id,
        title=one_line(session.title or "") or NO_TEXT,
        status=status or by_age(last, now),
        created_at=created,
        last_activity=last,
        duration=last - created if last is not None and created is not None else None,
        mode=Mode(current=_text(session.mode)),
        token_usage=session.usage,
        message_count=session.message_count,
        workspace_dir=_text(session.workspace_dir),
        outcome=outcome,
        root=root,
        product=session.product,
        model=_text(session.model),
        size_bytes=session.size_bytes,
        parent_id=session.parent_id,
        root_id=session.root_id,
        kept=session.kept or None,
        problems=session.problems,
    )


def row_of_session(
    session: Session, root: str, fingerprint: int, now: int, touched: int, until: int = FOR_EVER
) -> IndexRow:
    """Create the row of a session; `touched` is the newest time of its files in ms.

    The row is read again at `until`, in ms, even if no file changed. A half-written session of which nothing
    can be read yet is not listed.
    """
    is_listed = not session.is_half_written or session.message_count or session.problems
    return make_row(
        session.id,
        root,
        SAVING if session.is_half_written else fingerprint,
        info_of_session(session, root, now) if is_listed else None,
        ages_from=session.ages_from,
        until=until,
        touched=touched,
        child_of=(session.parent_id or "") if session.is_child else None,
    )


def opened_session(session: Session, root: str, now: int) -> OpenedTask:
    """Describe a session with the source of each field."""
    info = info_of_session(session, root, now)
    names = (field.encode_name for field in msgspec.structs.fields(TaskInfo) if _is_known(info, field.name))
    sources = {name: Provenance(source=session.sources.get(name, session.source)) for name in names}
    return OpenedTask(info, sources)


def _is_known(info: TaskInfo, name: str) -> bool:
    value = getattr(info, name)
    return name not in ("id", "root", "problems") and value is not None and value != Mode()


def _text(value: str | None) -> str | None:
    return encodable(value) if value else None
