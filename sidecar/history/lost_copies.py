"""Report copies that the list of kept copies no longer names."""

from collections.abc import Iterator

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.shared_remedies import SHARED_REMEDIES
from sidecar.history.stores.contract import SharedProblem
from sidecar.storage.kept.copies import Copies


def lost_copies(copies: Copies) -> Iterator[SharedProblem]:
    """Return a problem of the list if copies exist that it does not name."""
    if (loss := copies.loss()) is not None:
        message = f"{loss}; {SHARED_REMEDIES['lostCopies']}"
        yield SharedProblem(copies.list, Problem(code="lostCopies", message=message))
