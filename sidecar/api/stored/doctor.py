"""The diagnosis of stored tasks and their stores."""

from sidecar.api.base import Params, Record
from sidecar.api.stored.tasks import Product


class DoctorParams(Params, kw_only=True):
    """Parameters of `history/doctor`."""

    roots: list[str] | None = None
    work_done_token: str | int | None = None


class Finding(Record, kw_only=True):
    """A finding about a stored task or a store: what is wrong, why, and what to do."""

    code: str
    """A stable code."""
    root: str
    """The root that it concerns."""
    task_id: str | None = None
    """The task that it concerns."""
    path: str | None = None
    """The file or folder that it concerns."""
    message: str
    """What is wrong."""
    remedy: str
    """What to do about it."""


class DoctorRoot(Record, kw_only=True):
    """One root that was examined.

    `emptyFolders` counts folders without messages and without a list entry, and sessions without a message in
    the stores of other agents. They are not tasks and appear in no list, search or total.
    """

    path: str
    """The absolute path."""
    product: Product | None = None
    """The product that it belongs to, if known."""
    exists: bool
    """Whether the folder exists."""
    tasks: int
    """Stored tasks in it."""
    empty_folders: int
    """Folders without messages, which are not listed."""
    other_names: list[str] | None = None
    """Other paths of the same folder, such as links, which count once. Absent if there are none."""


class DoctorPlace(Record, kw_only=True):
    """A place that autoDiscover searched, and whether it holds a store; `why` explains the search."""

    path: str
    """The absolute path."""
    why: str
    """Why this place was searched."""
    found: bool
    """Whether it holds tasks."""


class DoctorResult(Record, kw_only=True):
    """The report: nothing was changed. `counts` are by code; `searched` is left out when roots were named."""

    roots: list[DoctorRoot]
    """The roots that were examined."""
    searched: list[DoctorPlace] | None = None
    """Where stores were searched for. Absent if `roots` were given."""
    findings: list[Finding]
    """What was found."""
    counts: dict[str, int]
    """Findings by code."""
    prices: str | None = None
    """The price table for estimates of costs and its version. Absent if the extra is not installed."""
    revision: int
