"""Slots: places under the limit of running tasks, held while a launch is under way."""

from types import TracebackType
from typing import Self


class Slot:
    """One reserved place, held until it is released or consumed by a registration.

    `with slot:` releases what was not consumed.
    """

    def __init__(self, held: set["Slot"]) -> None:
        self._held = held
        held.add(self)

    @property
    def held(self) -> bool:
        """Whether the place is still reserved."""
        return self in self._held

    def release(self) -> None:
        """Give the place back; a second call, or one after a registration, does nothing."""
        self._held.discard(self)

    def belongs_to(self, held: set["Slot"]) -> bool:
        """Whether this slot was reserved in that set of places."""
        return self._held is held

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
