"""Detect an answer that the model starts again after an interrupted stream, as opencode shows it. No I/O."""

_KEPT_CHARS = 64 * 1024
"""Longer answers are not compared."""


class Repeats:
    """Hold back a message while it repeats the previous one verbatim, with nothing in between."""

    def __init__(self) -> None:
        self._before = ""
        self._now = ""
        self._is_held = False
        self._was_reported = False

    def begin(self) -> bool:
        """Start a message. Return whether this drops the held message as a repetition not reported yet."""
        drops = self._is_held and bool(self._now)
        is_unreported = drops and not self._was_reported
        self._before = max(self._before, self._now, key=len) if drops else self._now
        self._now, self._was_reported = "", False
        self._is_held = bool(self._before) and len(self._before) <= _KEPT_CHARS
        return is_unreported

    def feed(self, text: str) -> tuple[str, bool]:
        """Add a chunk. Return the text to show, and whether the message now equals the previous one."""
        if len(self._now) <= _KEPT_CHARS:
            self._now += text
        if not self._is_held:
            return text, False
        if not self._before.startswith(self._now):
            return self.release(), False
        repeats_all = self._now == self._before and not self._was_reported
        self._was_reported = self._was_reported or repeats_all
        return "", repeats_all

    def release(self) -> str:
        """Return the held text because the message is not a repetition."""
        held = self._now if self._is_held else ""
        self._is_held = False
        return held

    def interrupt(self) -> str:
        """Return the held text because the agent did something else."""
        held = self.release()
        self._before = self._now = ""
        return held
