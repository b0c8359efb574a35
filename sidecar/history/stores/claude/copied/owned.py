"""The records of the sessions that come first in a group and are not counted in later ones. Pure."""

from array import array
from typing import Final

from sidecar.history.stores.claude.copied.links import Links, hash_of, hash_of_answer, hashes
from sidecar.history.stores.claude.copied.multimap import Multimap
from sidecar.history.stores.claude.facts import Facts

Foreign = tuple[frozenset[str], frozenset[str]]
"""Records, and answers, of other sessions."""
NOTHING_FOREIGN: Final[Foreign] = (frozenset(), frozenset())


class Owned:
    """The records and answers of sessions by their hashes.

    Each file gets only the records that it holds; giving each of a thousand forks all records would take
    quadratic memory.
    """

    def __init__(self) -> None:
        self._records = Multimap()
        self._answers = Multimap()

    def add(self, facts: Facts) -> None:
        """Add all that a session holds."""
        for uuid in facts.uuids:
            self._records.add(hash_of(uuid), uuid)
        for answer in facts.answers:
            self._answers.add(hash_of_answer(answer), answer)

    def held_by(self, links: Links) -> Foreign:
        """Return what a file with these links holds, and perhaps a few with the same hashes."""
        held = hashes(links.records)
        return (_texts(self._records, held), _texts(self._answers, held))


def is_within(some: Foreign, others: Foreign) -> bool:
    """Return whether all records and answers are among others."""
    return some[0] <= others[0] and some[1] <= others[1]


def _texts(found: Multimap, numbers: "array[int]") -> frozenset[str]:
    return frozenset(text for number in numbers for text in found.texts(number))
