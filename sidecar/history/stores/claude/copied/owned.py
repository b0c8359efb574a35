"""The records of the sessions that come first in a group and are not counted in later ones. Pure."""

from array import array
from collections.abc import Iterable, Mapping
from typing import Final

from sidecar.history.stores.claude.copied.links import Links, answers_of, hash_of, hash_of_answer, hashes
from sidecar.history.stores.claude.facts import Facts

Foreign = tuple[frozenset[str], frozenset[str]]
"""Records, and answers, of other sessions."""
NOTHING_FOREIGN: Final[Foreign] = (frozenset(), frozenset())


class Owned:
    """The records and answers of sessions, each hash with one of those that have it.

    Each file gets only the records that it holds: giving each of a thousand files all records, or all that
    have the same hash, would take quadratic memory.
    """

    def __init__(self) -> None:
        self._records: dict[int, str] = {}
        self._answers: dict[int, str] = {}
        self._all_records: set[str] = set()
        self._all_answers: set[str] = set()

    def add(self, facts: Facts) -> None:
        """Add all that a session holds."""
        for uuid in facts.uuids:
            self._records.setdefault(hash_of(uuid), uuid)
        for answer in facts.answers:
            self._answers.setdefault(hash_of_answer(answer), answer)
        self._all_records.update(facts.uuids)
        self._all_answers.update(facts.answers)

    def expected_in(self, links: Links) -> Foreign:
        """Return what a file with these links probably holds; before it is read, only hashes are known."""
        held = hashes(links.records)
        return (_texts(self._records, held), _texts(self._answers, held))

    def held_by(self, threads: Iterable[Facts]) -> Foreign:
        """Return what the threads of a file hold."""
        records: set[str] = set()
        answers: set[str] = set()
        for facts in threads:
            records |= self._all_records.intersection(facts.uuids)
            answers |= self._all_answers.intersection(answers_of(facts))
        return (frozenset(records), frozenset(answers))


def is_within(some: Foreign, others: Foreign) -> bool:
    """Return whether all records and answers are among others."""
    return some[0] <= others[0] and some[1] <= others[1]


def _texts(found: Mapping[int, str], numbers: "array[int]") -> frozenset[str]:
    return frozenset(text for number in numbers if (text := found.get(number)) is not None)
