"""Which runs lend their slots: a run that waits for its children lets one of them run in its place."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Lending:
    """Each run lends one slot at a time, to a child that starts while the run waits, until the child ends."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()
        self._borrowers: dict[str, str] = {}

    @contextmanager
    def waiting(self, lender: str) -> Iterator[None]:
        """Note that a run waits for its children."""
        self._waiting[lender] += 1
        try:
            yield
        finally:
            self._waiting[lender] -= 1
            if not self._waiting[lender]:
                del self._waiting[lender]

    def can_lend(self, lender: str | None) -> bool:
        """Return whether a run waits and has not lent its slot."""
        return lender is not None and lender in self._waiting and not self.has_lent(lender)

    def has_lent(self, lender: str) -> bool:
        """Return whether a run has lent its slot."""
        return lender in self._borrowers

    def lend(self, lender: str, borrower: str) -> None:
        """Lend the slot of a run to a child."""
        self._borrowers[lender] = borrower

    def give_back(self, borrower: str) -> None:
        """Return the slot that a run has borrowed; do nothing if it has not."""
        for lender, each in list(self._borrowers.items()):
            if each == borrower:
                del self._borrowers[lender]
