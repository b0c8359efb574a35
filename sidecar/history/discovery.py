"""Find the stores on this machine. Nothing is written."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from sidecar.history.stores.contract import Place
from sidecar.history.stores.editors import Machine, this_machine
from sidecar.history.stores.registry import FAMILIES, holds_sessions


@dataclass(frozen=True, slots=True)
class CheckedPlace:
    """A folder that may be a root; `why` explains to a person why it was checked."""

    path: Path
    why: str
    found: bool


@dataclass(frozen=True, slots=True)
class Discovery:
    """The roots that hold sessions, and all places that were checked."""

    roots: list[Path]
    searched: list[CheckedPlace]


def discover_roots(machine: Machine | None = None, known: Collection[Path] = ()) -> Discovery:
    """Check the default places of all products. One with folders that cannot be listed is a root too.

    `known` roots were found before, and are not read again.
    """
    searched: dict[Path, CheckedPlace] = {}
    for place, found in _checked(machine or this_machine(), known):
        before = searched.get(place.path)
        if before is None or (found and not before.found):
            searched[place.path] = CheckedPlace(place.path, place.content, found)
    return Discovery([place.path for place in searched.values() if place.found], list(searched.values()))


def _checked(machine: Machine, known: Collection[Path]) -> Iterator[tuple[Place, bool]]:
    for family in FAMILIES:
        for place in family.places(machine):
            yield place, place.path in known or holds_sessions(str(place.path), [family])
