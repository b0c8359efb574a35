"""An answer that an agent's model begins again, as opencode shows a stream that broke; pure."""

_KEPT_CHARS = 64 * 1024
"""Longer answers are not compared."""


class Repeats:
    """Holds back a message that repeats the one before it, with nothing in between, word for word."""

    def __init__(self) -> None:
        self._before = ""
        self._now = ""
        self._is_held = False
        self._was_told = False

    def begin(self) -> bool:
        """Note that a message begins; tell whether the one held back is dropped as a repeated beginning."""
        drops = self._is_held and bool(self._now)
        is_news = drops and not self._was_told
        self._before = max(self._before, self._now, key=len) if drops else self._now
        self._now, self._was_told = "", False
        self._is_held = bool(self._before) and len(self._before) <= _KEPT_CHARS
        return is_news

    def feed(self, text: str) -> tuple[str, bool]:
        """Take a piece; return what is to be shown of the message, and whether it now repeats all of it."""
        if len(self._now) <= _KEPT_CHARS:
            self._now += text
        if not self._is_held:
            return text, False
        if not self._before.startswith(self._now):
            return self.release(), False
        repeats_all = self._now == self._before and not self._was_told
        self._was_told = self._was_told or repeats_all
        return "", repeats_all

    def release(self) -> str:
        """Return what is held back: it turned out to be a message of its own."""
        held = self._now if self._is_held else ""
        self._is_held = False
        return held

    def interrupt(self) -> str:
        """Note that the agent did something else; return what was held back until then."""
        held = self.release()
        self._before = self._now = ""
        return held
