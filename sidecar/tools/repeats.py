"""Recognize a question that a model repeats although nothing has changed."""

from collections.abc import Hashable

WINDOW_MS = 5_000
"""How long after a whole answer the same question counts as repeated."""
MAX_REMEMBERED = 100


class Repeats:
    """Remembers the questions of one client and the state that answered each."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[Hashable, int]] = {}

    def since(self, question: Hashable, state: Hashable, now: int) -> int | None:
        """Return how many ms ago the question got a whole answer with the same state; None if one is due.

        `now` is in ms; a clock that was set back forgets the answer.
        """
        known = self._answers.get(question)
        if known is not None and known[0] == state and 0 <= now - known[1] < WINDOW_MS:
            return now - known[1]
        self._answers.pop(question, None)
        self._answers[question] = (state, now)
        if len(self._answers) > MAX_REMEMBERED:
            del self._answers[next(iter(self._answers))]
        return None
