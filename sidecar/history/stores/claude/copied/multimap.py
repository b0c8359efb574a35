"""A map from numbers to texts that is small when nearly every number has one text. Pure."""

from collections.abc import Collection, Iterable


class Multimap:
    """Texts by number; only a number with several texts has a set, which takes 216 bytes."""

    def __init__(self) -> None:
        self._texts: dict[int, str | set[str]] = {}

    def __bool__(self) -> bool:
        """Return whether any number has a text."""
        return bool(self._texts)

    def numbers(self) -> set[int]:
        """Return the numbers that have a text."""
        return {*self._texts}

    def texts(self, number: int) -> Collection[str]:
        """Return the texts of a number."""
        found = self._texts.get(number, ())
        return (found,) if isinstance(found, str) else found

    def add(self, number: int, text: str) -> None:
        """Give a number one more text."""
        found = self._texts.setdefault(number, text)
        if isinstance(found, set):
            found.add(text)
        elif found != text:
            self._texts[number] = {found, text}

    def discard(self, numbers: Iterable[int], text: str) -> None:
        """Take a text from each of these numbers."""
        for number in numbers:
            found = self._texts.get(number)
            if isinstance(found, set):
                found.discard(text)
            if found == text or found == set():
                del self._texts[number]
