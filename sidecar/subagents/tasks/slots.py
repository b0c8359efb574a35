"""Slots under the limit of running tasks, held during a launch."""

from types import TracebackType
from typing import Self


class Slot:
    """One slot, held until it is released or a registration consumes it.

    `with slot:` releases a slot that was not consumed.
    """

    def __init__(self, held: set["Slot"]) -> None:
        self._held = held
        held.add(self)

    @property
    def held(self) -> bool:
        """Whether the slot is still held."""
        return self in self._held

    def release(self) -> None:
        """Release the slot; do nothing if it is not held."""
        self._held.discard(self)

    def belongs_to(self, held: set["Slot"]) -> bool:
        """Return whether this slot belongs to that set of slots."""
        return self._held is held

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
