"""A definition with the runner that executes it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from sidecar.api.runs.async_tasks import Placement, PlacementKind
from sidecar.subagents.definitions import Definition
from sidecar.subagents.paths.real_path import real_path
from sidecar.subagents.runners.contract import Runner


def _always() -> bool:
    """Return whether this machine has a place for a run."""
    return True


@dataclass(frozen=True)
class Target:
    """A definition and the runner that executes it, whose program was found.

    `notices` list the requests of the definition that are not granted. `brought_by` identifies the file of
    the workspace that contains the definition, with its content; None for the user's own.
    """

    definition: Definition
    runner: Runner
    notices: tuple[str, ...] = ()
    trusted_folders: tuple[Path, ...] = ()
    brought_by: str | None = None
    place: Placement | None = None
    """What a run on a cluster needs of its node, before it has one; None for this machine."""

    check_place: Callable[[Path, float], Awaitable[None]] | None = None
    """Checks, for a run on a cluster, that its workspace can travel and that a node can execute it.

    It waits no longer than until the given time on the clock of the event loop.
    """

    has_place: Callable[[], bool] = _always
    """Whether a run on a cluster would find a free slot there, as far as is known."""

    @property
    def placement(self) -> PlacementKind:
        """Where its runs work."""
        return "local" if self.place is None else self.place.kind

    def trusts(self, directory: Path) -> bool:
        """Return whether a directory, with links resolved, is inside a folder that the user trusts."""
        real = real_path(directory)
        roots = [root for folder in self.trusted_folders if (root := real_path(folder)) is not None]
        return real is not None and any(Path(real).is_relative_to(root) for root in roots)
