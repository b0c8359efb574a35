"""Full-text search in stored tasks."""

from typing import Literal

from sidecar.api.base import Params, Record
from sidecar.api.stored.tasks import Limit


class SearchParams(Params, kw_only=True):
    """Parameters of `tasks/search`: words that must all occur, "phrases", and prefixes such as `sta*`."""

    text: str
    """Words, "phrases" and prefixes such as `upload*`. All must occur."""
    query: str | None = None
    """Search only tasks that match this query."""
    limit: Limit = 50
    """The maximum number of hits in the answer."""
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class SearchHit(Record, kw_only=True):
    """A message that holds the words; `index` is its place in `tasks/messages` of this `kind`.

    `snippet` shows the words between U+0002 and U+0003.
    """

    task_id: str
    """The ID of the task."""
    root: str
    """The absolute path of its root."""
    title: str
    """Its title."""
    kind: Literal["ui", "api"]
    """Which file holds the message."""
    index: int
    """The message's `index` in `tasks/messages` of this `kind`."""
    role: str
    """Who wrote the message."""
    ts: int | float | None = None
    """When it was written, in ms since the epoch."""
    snippet: str
    """The text around the match, with matches between U+0002 and U+0003."""


class PartlySearched(Record, kw_only=True):
    """A task of which only a part was searched: a file exceeds a limit, or could not be read."""

    task_id: str
    """The ID of the task."""
    root: str
    """The absolute path of its root."""
    title: str
    """Its title."""
    message: str
    """Which file exceeds which limit, and what was read of it; or why it could not be read."""


class SearchResult(Record, kw_only=True):
    """Hits, the best first. While the index is being built `indexed` is below `total`, in tasks."""

    hits: list[SearchHit]
    """Messages that match, best first."""
    indexed: int
    """Tasks that are indexed so far."""
    total: int
    """Tasks to index. Search again when `indexed` is lower."""
    partly_searched: list[PartlySearched] | None = None
    """Searched tasks with a file that exceeds a limit or cannot be read, 100 at most. Absent without any."""
    revision: int
